export { balancing } from "./balancing";
export { clusters } from "./clusters";
export { compute } from "./compute";
export { type AnyExample, ExampleDependencies } from "./example";
export { identity } from "./identity";
export { network } from "./network";
export { storage } from "./storage";
