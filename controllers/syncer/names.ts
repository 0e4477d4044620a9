// Labels, annotations and names by which the syncer knows its own, on the hub and in a member.

/** The field manager of everything that the syncer applies in a member. */
export const FIELD_MANAGER = "fleetwright-syncer";
/** On a Share: the object in the member is not gone yet. */
export const SHARE_FINALIZER = "fleetwright.dev/syncer";
/** With the value `true` on a Share, its end is the end of the object in the member too; without, that object stays. */
export const REMOVE = "fleetwright.dev/remove";

/** The label that says whose an object in a cluster is. */
export const OWNER_LABEL = "fleetwright.dev/owner";
/** Its value on what a hub placed. */
export const HUB_OWNER = "hub";
/** On an object in a member: the UID of the hub, which is that of its namespace kube-system. */
export const HUB_ANNOTATION = "fleetwright.dev/hub";
/** On an object in a member: the member's name on that hub. */
export const CLUSTER_ANNOTATION = "fleetwright.dev/cluster";
/** On an object in a member: the Share that it came by. */
export const SHARE_ANNOTATION = "fleetwright.dev/share";
/** On an object in a member: the hash of the manifest that was applied. */
export const HASH_ANNOTATION = "fleetwright.dev/share-hash";

/** The ConfigMap in a member that says which hub it belongs to. */
export const HUB_RECORD = "fleetwright-hub";
/** The Lease in a cluster's namespace on the hub by which its syncer says that it lives. */
export const HEARTBEAT = "heartbeat";
/** On that Lease: what the syncer says of the member, as JSON. */
export const REPORT_ANNOTATION = "fleetwright.dev/report";
