/** The components that the policies of this pack look at. */
export const RKE_CLUSTER = "fleetwright:index:RkeCluster";
export const STATE_VOLUME = "fleetwright:index:StateVolume";

/** The tags by which our components mark what they make. */
export const STATE_TAG = "fleetwright.dev/state-of";
export const CLUSTER_TAG = "fleetwright.dev/cluster";
export const POOL_TAG = "fleetwright.dev/node-pool";
