// Names that a small program needs without the schemas, which take more memory than it has in all.

/** The API group of all kinds. */
export const GROUP = "fleetwright.dev";
/** The version of all kinds. */
export const VERSION = "v1";
/** What stands in `apiVersion` of every object. */
export const API_VERSION = "fleetwright.dev/v1";
/** The namespace in which the product and what it reads live. */
export const SYSTEM_NAMESPACE = "fleetwright-system";
/** The namespace with a service account for each User. */
export const USERS_NAMESPACE = "fleetwright-users";
/** The namespace of plugins: apart from the product's own, so that what runs there cannot use the product's accounts. */
export const PLUGIN_NAMESPACE = "fleetwright-plugins";
/** The service account that installs plugins which name no other; its rights are those that the bundled ones need. */
export const PLUGIN_INSTALLER = "fleetwright-plugins";
/** What stands before the key of a ClusterLabel on a node. */
export const CLUSTER_LABEL_PREFIX = "cluster.fleetwright.dev/";
/** What stands before the key of a NodePoolLabel on a node. */
export const NODE_POOL_LABEL_PREFIX = "nodepool.fleetwright.dev/";
/** The label whose value says which pool a node is in. */
export const NODE_POOL_LABEL = "fleetwright.dev/node-pool";

/** What each kind is called in paths of the API. */
export const PLURALS = {
  User: "users",
  Registry: "registries",
  ClusterLabel: "clusterlabels",
  NodePoolLabel: "nodepoollabels",
  Plugin: "plugins",
  AuthorizationRole: "authorizationroles",
  AuthorizationRoleBinding: "authorizationrolebindings",
  ClusterUpgrade: "clusterupgrades",
} as const;
