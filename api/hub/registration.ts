// What hub, syncer and the command that registers clusters have to agree on.

/** How the API server sees the syncer of a cluster. */
export function clusterUser(cluster: string): string {
  return `fleetwright:cluster:${cluster}`;
}

/** The service account in a cluster's namespace whose token asks for the first certificate. */
export const BOOTSTRAP_ACCOUNT = "bootstrap";
/** On that account: the request that its token was used for. A token is good for one certificate. */
export const USED_ANNOTATION = "fleetwright.dev/used";
/** Who signs certificates of syncers. */
export const SIGNER = "kubernetes.io/kube-apiserver-client";
/** What they are for. */
export const USAGES: readonly string[] = ["client auth", "digital signature"];
/** How long they are good. */
export const CERTIFICATE_SECONDS = 7 * 86_400;
