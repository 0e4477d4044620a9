export { eksAdditions } from "./additions";
export { eksAction, type EksRoute } from "./routes";
export { EksStore } from "./store";
