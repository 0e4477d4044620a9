export { start } from "./start";
