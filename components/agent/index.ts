export {
  Coordinator,
  type CoordinatorArgs,
  type CoordinatorOptions,
  type CoordinatorTransforms,
} from "./coordinator";
export {
  PRIORITY_CLASS,
  SystemNamespace,
  type SystemNamespaceArgs,
  type SystemNamespaceOptions,
} from "./system-namespace";
