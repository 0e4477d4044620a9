export { Agent, type AgentArgs, type AgentOptions } from "./agent";
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
export { PluginInstaller, type PluginInstallerArgs } from "./plugin-installer";
