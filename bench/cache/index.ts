export { cache } from "./cache";
