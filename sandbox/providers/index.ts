export { type Context, type Log, redact } from "./context";
export { func, type Argument, type Func, type FunctionType } from "./function";
export {
  installProviders,
  providersLine,
  type InstalledProvider,
  type InstallOptions,
  type ProviderName,
} from "./install";
export * from "./kind";
export { officialProvider, type Provider } from "./provider";
export {
  resource,
  type Change,
  type Created,
  type Input,
  type Output,
  type Resource,
  type ResourceType,
} from "./resource";
export { serve } from "./serve";
export * from "./wire";
