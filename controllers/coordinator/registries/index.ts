export { registries, registriesWith } from "./controller";
