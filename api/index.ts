export {
  authorizationRole,
  authorizationRule,
  type AuthorizationRole,
  type AuthorizationRoleSpecInput,
} from "./authorization-role";
export {
  authorizationRoleBinding,
  type AuthorizationRoleBinding,
  type AuthorizationRoleBindingSpecInput,
} from "./authorization-role-binding";
export { clusterLabel, type ClusterLabel, type ClusterLabelSpecInput } from "./cluster-label";
export {
  clusterUpgrade,
  type ClusterUpgrade,
  type ClusterUpgradeSpecInput,
  type NodeUpgradeStatus,
} from "./cluster-upgrade";
export * from "./hub";
export {
  anyKind,
  crdOf,
  HUB_KIND_NAMES,
  HUB_KINDS,
  KIND_NAMES,
  KINDS,
  specProblems,
  type HubKindName,
  type KindName,
} from "./kinds";
export {
  API_VERSION,
  CLUSTER_LABEL_PREFIX,
  GROUP,
  NODE_POOL_LABEL,
  NODE_POOL_LABEL_PREFIX,
  PLUGIN_INSTALLER,
  PLUGIN_NAMESPACE,
  SYSTEM_NAMESPACE,
  USERS_NAMESPACE,
  VERSION,
} from "./names";
export { nodePoolLabel, type NodePoolLabel, type NodePoolLabelSpecInput } from "./node-pool-label";
export {
  ACCOUNT_LABEL,
  accountName,
  GRANT_PREFIX,
  PEOPLE_POLICY,
  REVOKED_LABEL,
  TEAM_GROUP_PREFIX,
  TOKEN_SECONDS,
  USER_ANNOTATION,
  USER_NAME_PREFIX,
} from "./people";
export { plugin, type Plugin, type PluginSpecInput } from "./plugin";
export { registry, REGISTRIES_LABEL, type Registry, type RegistrySpecInput } from "./registry";
export type { Condition } from "./schema/condition";
export type {
  Kind,
  KindObject,
  Metadata,
  ObjectOf,
  SpecInputOf,
  SpecOf,
  StatusOf,
  Verdict,
} from "./schema/kind";
export { describeProblems, type Problem } from "./schema/problem";
export type { LabelSelector } from "./schema/selector";
export { RESERVED_LOGINS } from "./login-name";
export { user, type User, type UserSpecInput } from "./user";
export * from "./authorization";
