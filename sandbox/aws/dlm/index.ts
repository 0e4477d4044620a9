export { lifecyclePolicies } from "./policies";
export { dlmAction } from "./routes";
export { PolicyStore } from "./store";
