export {
  authorizationRole,
  type AuthorizationRole,
  type AuthorizationRoleSpecInput,
} from "./authorization-role";
export {
  authorizationRoleBinding,
  type AuthorizationRoleBinding,
  type AuthorizationRoleBindingSpecInput,
} from "./authorization-role-binding";
export {
  CLUSTER_LABEL_PREFIX,
  clusterLabel,
  type ClusterLabel,
  type ClusterLabelSpecInput,
} from "./cluster-label";
export {
  clusterUpgrade,
  type ClusterUpgrade,
  type ClusterUpgradeSpecInput,
  type NodeUpgradeStatus,
} from "./cluster-upgrade";
export { crdOf, KIND_NAMES, KINDS, type KindName } from "./kinds";
export {
  NODE_POOL_LABEL,
  NODE_POOL_LABEL_PREFIX,
  nodePoolLabel,
  type NodePoolLabel,
  type NodePoolLabelSpecInput,
} from "./node-pool-label";
export { plugin, PLUGIN_INSTALLER, type Plugin, type PluginSpecInput } from "./plugin";
export { PLUGIN_NAMESPACE } from "./plugin-source";
export { registry, REGISTRIES_LABEL, type Registry, type RegistrySpecInput } from "./registry";
export type { Condition } from "./schema/condition";
export {
  API_VERSION,
  GROUP,
  VERSION,
  type Kind,
  type KindObject,
  type Metadata,
  type ObjectOf,
  type SpecInputOf,
  type SpecOf,
  type StatusOf,
  type Verdict,
} from "./schema/kind";
export { describeProblems, type Problem } from "./schema/problem";
export { SYSTEM_NAMESPACE } from "./schema/reference";
export type { LabelSelector } from "./schema/selector";
export { RESERVED_LOGINS, user, type User, type UserSpecInput } from "./user";
