// Our kinds as the coordinator's client reads them: object types and API resources. Of the schemas only the types: the API
// server has checked what is read, and they would take a quarter of the coordinator's memory.
import type {
  authorizationRole,
  authorizationRoleBinding,
  clusterLabel,
  clusterUpgrade,
  nodePoolLabel,
  plugin,
  registry,
  SpecOf,
  StatusOf,
  user,
} from "../../api";
import { GROUP, PLURALS, VERSION } from "../../api/names";
import type { Custom } from "../app/custom-object";
import type { Resource } from "../runtime";

type CustomOf<K> = Custom<SpecOf<K>, StatusOf<K>>;

/** A Registry in the cluster. */
export type RegistryObject = CustomOf<typeof registry>;
/** A ClusterLabel in the cluster. */
export type ClusterLabelObject = CustomOf<typeof clusterLabel>;
/** A NodePoolLabel in the cluster. */
export type NodePoolLabelObject = CustomOf<typeof nodePoolLabel>;
/** An AuthorizationRole in the cluster. */
export type RoleObject = CustomOf<typeof authorizationRole>;
/** An AuthorizationRoleBinding in the cluster. */
export type RoleBindingObject = CustomOf<typeof authorizationRoleBinding>;
/** A ClusterUpgrade in the cluster. */
export type UpgradeObject = CustomOf<typeof clusterUpgrade>;
/** A Plugin in the cluster. */
export type PluginObject = CustomOf<typeof plugin>;
/** A User in the cluster. */
export type UserObject = CustomOf<typeof user>;

function resourceOf(kind: keyof typeof PLURALS): Omit<Resource, "objects"> {
  return { group: GROUP, version: VERSION, kind, plural: PLURALS[kind], namespaced: false };
}

/** Registries as the API server serves them. */
export const REGISTRIES: Resource<RegistryObject> = resourceOf("Registry");
/** Cluster labels as the API server serves them. */
export const CLUSTER_LABELS: Resource<ClusterLabelObject> = resourceOf("ClusterLabel");
/** Node pool labels as the API server serves them. */
export const NODE_POOL_LABELS: Resource<NodePoolLabelObject> = resourceOf("NodePoolLabel");
/** Roles as the API server serves them. */
export const ROLES: Resource<RoleObject> = resourceOf("AuthorizationRole");
/** Role bindings as the API server serves them. */
export const ROLE_BINDINGS: Resource<RoleBindingObject> = resourceOf("AuthorizationRoleBinding");
/** Upgrades as the API server serves them. */
export const UPGRADES: Resource<UpgradeObject> = resourceOf("ClusterUpgrade");
/** Plugins as the API server serves them. */
export const PLUGINS: Resource<PluginObject> = resourceOf("Plugin");
/** Users as the API server serves them. */
export const USERS: Resource<UserObject> = resourceOf("User");
