export { agent } from "./agent";
