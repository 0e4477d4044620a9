/** Type tokens of our components that policies evaluate. */
export const RKE_CLUSTER = "fleetwright:index:RkeCluster";
export const STATE_VOLUME = "fleetwright:index:StateVolume";

/** The tags that our components set. */
export const STATE_TAG = "fleetwright.dev/state-of";
export const CLUSTER_TAG = "fleetwright.dev/cluster";
export const POOL_TAG = "fleetwright.dev/node-pool";
