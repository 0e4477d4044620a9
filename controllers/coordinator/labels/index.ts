export { labels } from "./labels";
