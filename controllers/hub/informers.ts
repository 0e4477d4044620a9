// Informers that several controllers of the hub share, with one transform and the indexes that they need.
import { statusTransform } from "../coordinator/status";
import type { Cache, Informer } from "../runtime";
import { SHARES, type ShareObject } from "../syncer/kinds";
import { CLUSTERS, type ClusterObject } from "./kinds";

const clusterTransform = statusTransform("clusters");
const indexed = new WeakSet<Informer<ShareObject>>();

/** Clusters, with the fields that the controller of clusters owns. */
export function clustersIn(cache: Cache): Informer<ClusterObject> {
  return cache.informer(CLUSTERS, { transform: clusterTransform });
}

/** Shares of all clusters, by the UID of their `root` and by their `namespace`. */
export function sharesIn(cache: Cache): Informer<ShareObject> {
  const shares = cache.informer(SHARES);
  if (!indexed.has(shares)) {
    shares.addIndex("root", ({ spec }) => [spec.root.uid]);
    shares.addIndex("namespace", ({ metadata }) => [metadata.namespace ?? ""]);
    indexed.add(shares);
  }
  return shares;
}
