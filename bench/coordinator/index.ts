export { labels } from "./labels";
export { registries } from "./registries";
export { upgrade } from "./upgrade";
