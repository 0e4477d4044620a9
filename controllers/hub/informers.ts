// Informers that several controllers of the hub share, with one transform and the indexes that they need.
import { statusTransform } from "../app/status";
import { keepManagedFieldsOf, type Cache, type Informer } from "../runtime";
import { SHARES, type ShareObject } from "../syncer/kinds";
import { kindName } from "../workload";
import { DEFINITIONS, type Definition } from "./apis/kinds";
import { CLUSTERS, type ClusterObject } from "./kinds";

const clusterTransform = statusTransform("clusters");
const definitionTransform = keepManagedFieldsOf("fleetwright-apis");
const indexed = new WeakSet<Informer<ShareObject>>();

/** Clusters, with the fields that the controller of clusters owns. */
export function clustersIn(cache: Cache): Informer<ClusterObject> {
  return cache.informer(CLUSTERS, { transform: clusterTransform });
}

/** Definitions of kinds on the hub, with the fields that the controller `apis` owns. */
export function definitionsIn(cache: Cache): Informer<Definition> {
  return cache.informer(DEFINITIONS, { transform: definitionTransform });
}

/** An object on the hub by its kind and its key, whatever its version and UID. */
export function rootId({
  apiVersion,
  kind,
  namespace,
  name,
}: Pick<ShareObject["spec"]["root"], "apiVersion" | "kind" | "namespace" | "name">): string {
  return `${kindName({ apiVersion, kind })} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** Shares of all clusters, by the UID of their `root`, by the kind and key of it (`rootId`), and by their `namespace`. */
export function sharesIn(cache: Cache): Informer<ShareObject> {
  const shares = cache.informer(SHARES);
  if (!indexed.has(shares)) {
    shares.addIndex("root", ({ spec }) => [spec.root.uid]);
    shares.addIndex("rootId", ({ spec }) => [rootId(spec.root)]);
    shares.addIndex("namespace", ({ metadata }) => [metadata.namespace ?? ""]);
    indexed.add(shares);
  }
  return shares;
}
