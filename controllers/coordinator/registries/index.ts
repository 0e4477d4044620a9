export { registries, registriesWith } from "./registries";
