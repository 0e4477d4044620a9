export { plugins, pluginsWith } from "./plugins";
