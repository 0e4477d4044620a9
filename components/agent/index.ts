// Our own programs as components: the agent on each node, the coordinator, and what the two need in the cluster.
export { Agent, type AgentArgs } from "./agent";
export { Coordinator, type CoordinatorArgs, type CoordinatorTransforms } from "./coordinator";
export { PeopleNamespace, type PeopleNamespaceArgs } from "./people-namespace";
export { PluginInstaller, type PluginInstallerArgs } from "./plugin-installer";
export { RoleCeiling, type RoleCeilingArgs } from "./role-ceiling";
export { PRIORITY_CLASS, SystemNamespace, type SystemNamespaceArgs } from "./system-namespace";
