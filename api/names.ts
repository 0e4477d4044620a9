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
/** The label whose value says which pool a node is in. */
export const NODE_POOL_LABEL = "fleetwright.dev/node-pool";
