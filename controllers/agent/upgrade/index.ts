export { upgrade } from "./controller";
