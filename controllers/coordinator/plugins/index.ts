export { plugins, pluginsWith } from "./controller";
