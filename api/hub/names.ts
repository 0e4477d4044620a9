// Names that hub, syncer and negotiation have to agree on.

/** The kinds of a hub by the name that their URLs have. Programs that need no schema take it from here. */
export const HUB_PLURALS = {
  APIResourceImport: "apiresourceimports",
  APISchema: "apischemas",
  Cluster: "clusters",
  NegotiatedAPIResource: "negotiatedapiresources",
  Share: "shares",
} as const;
/** The most characters of a Share's manifest: etcd takes an object of a megabyte and a half. */
export const MAX_MANIFEST = 1_048_576;
/** The most characters of a status that comes up from a cluster. */
export const MAX_OBSERVED = 8192;
/** The most characters of an APISchema's `spec.data`. */
export const MAX_SCHEMA_DATA = 1_000_000;

/** What stands before a cluster's name in the name of its namespace on the hub. */
export const CLUSTER_NAMESPACE_PREFIX = "cluster-";
/** As long as a cluster's name may be, so that the namespace's name is one. */
export const MAX_CLUSTER_NAME = 55;
/** The label that pins an object on the hub to one member, by the cluster's name. */
export const CLUSTER_PIN_LABEL = "fleetwright.dev/cluster";

/** The namespace on the hub that holds the Shares of a cluster. */
export function clusterNamespace(cluster: string): string {
  return `${CLUSTER_NAMESPACE_PREFIX}${cluster}`;
}

/** A kind of the Kubernetes API as an object's name has it. The core group is called `core`. */
export interface ApiResource {
  group: string;
  version: string;
  /** The plural, as in the URL. */
  resource: string;
}

/** The name of the NegotiatedAPIResource of a kind, as kubectl writes kinds: `deployments.v1.apps`. */
export function negotiatedName({ group, version, resource }: ApiResource): string {
  return `${resource}.${version}.${group === "" ? "core" : group}`;
}

/** The name of the APIResourceImport of a kind from a cluster. A cluster's name has no dot. */
export function importName(cluster: string, kind: ApiResource): string {
  return `${cluster}.${negotiatedName(kind)}`;
}
