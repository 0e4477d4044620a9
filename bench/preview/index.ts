export { preview } from "./preview";
