export { labels } from "./controller";
