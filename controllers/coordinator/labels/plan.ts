// Decides which labels nodes should have. Pure functions.
import { CLUSTER_LABEL_PREFIX, NODE_POOL_LABEL, NODE_POOL_LABEL_PREFIX } from "../../../api";
import type { KubernetesObject } from "../../runtime";
import type { ClusterLabelObject, NodePoolLabelObject } from "../kinds";

/** An object that declares a label. */
export type LabelObject = ClusterLabelObject | NodePoolLabelObject;

/** The labels that all declarations together come to. */
export interface Declared {
  /** The labels in force, by key with its prefix; for pools, one map for each pool. */
  cluster: ReadonlyMap<string, string>;
  pools: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Declarations that are overruled because an older one has the same key: by declaration, the older one. */
  overruled: ReadonlyMap<string, string>;
  /** Prefixes under which something is declared at all: under others nothing is removed. */
  kept: readonly string[];
}

/** The key of a declaration in {@link Declared.overruled}. */
export function declarationKey(kind: "ClusterLabel" | "NodePoolLabel", name: string): string {
  return `${kind}/${name}`;
}

/**
 * Resolves declarations: of several with the same key the oldest wins. A kind without a single object declares nothing,
 * not even that there should be no labels: its objects may have been lost by mistake.
 */
export function resolve(
  clusterLabels: readonly ClusterLabelObject[],
  poolLabels: readonly NodePoolLabelObject[],
  isDeleted: (object: LabelObject) => boolean,
): Declared {
  const overruled = new Map<string, string>();
  const cluster = new Map<string, string>();
  const pools = new Map<string, Map<string, string>>();
  const holders = new Map<string, string>();
  const declare = (
    labels: Map<string, string>,
    scope: string,
    key: string,
    value: string,
    by: string,
  ): void => {
    const holder = holders.get(scope);
    if (holder !== undefined) {
      overruled.set(by, holder);
      return;
    }
    holders.set(scope, by);
    labels.set(key, value);
  };
  for (const label of oldestFirst(clusterLabels)) {
    if (isDeleted(label)) continue;
    const key = CLUSTER_LABEL_PREFIX + label.spec.key;
    declare(cluster, key, key, label.spec.value, declarationKey("ClusterLabel", label.metadata.name));
  }
  for (const label of oldestFirst(poolLabels)) {
    if (isDeleted(label)) continue;
    const { pool, key: name, value } = label.spec;
    const key = NODE_POOL_LABEL_PREFIX + name;
    const labels = pools.get(pool) ?? new Map<string, string>();
    pools.set(pool, labels);
    declare(labels, `${pool} ${key}`, key, value, declarationKey("NodePoolLabel", label.metadata.name));
  }
  const kept = [
    ...(clusterLabels.length > 0 ? [CLUSTER_LABEL_PREFIX] : []),
    ...(poolLabels.length > 0 ? [NODE_POOL_LABEL_PREFIX] : []),
  ];
  return { cluster, pools, overruled, kept };
}

function oldestFirst<T extends KubernetesObject>(objects: readonly T[]): T[] {
  const age = ({ metadata }: T): string => `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
  return [...objects].sort((a, b) => (age(a) < age(b) ? -1 : 1));
}

/** The labels under our prefixes that a node should have. */
export function wantedOn({ metadata }: KubernetesObject, { cluster, pools }: Declared): Map<string, string> {
  const pool = metadata.labels?.[NODE_POOL_LABEL];
  return new Map([...cluster, ...((pool === undefined ? undefined : pools.get(pool)) ?? [])]);
}

/** What has to change on a node: new values, and null for what is to go. Undefined if nothing has to. */
export function labelPatch(
  node: KubernetesObject,
  declared: Declared,
): Record<string, string | null> | undefined {
  const patch: Record<string, string | null> = {};
  const labels = node.metadata.labels ?? {};
  const wanted = wantedOn(node, declared);
  for (const [key, value] of wanted) if (labels[key] !== value) patch[key] = value;
  for (const key of Object.keys(labels)) {
    if (!wanted.has(key) && declared.kept.some((prefix) => key.startsWith(prefix))) patch[key] = null;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** Whether two sets of declarations come to the same for every node. */
export function sameDeclared(a: Declared, b: Declared): boolean {
  const plain = ({ cluster, pools, kept }: Declared): string =>
    JSON.stringify([[...cluster], [...pools].map(([pool, labels]) => [pool, [...labels]]), kept]);
  return plain(a) === plain(b);
}

/** Whether it declares a label of a pool, not of the cluster. */
export function isPoolLabel(object: LabelObject): object is NodePoolLabelObject {
  return "pool" in object.spec;
}

/** The key of the label with its prefix. */
export function labelKeyOf(object: LabelObject): string {
  return (isPoolLabel(object) ? NODE_POOL_LABEL_PREFIX : CLUSTER_LABEL_PREFIX) + object.spec.key;
}

/** Whether a node should carry the label. */
export function isMember({ metadata }: KubernetesObject, object: LabelObject): boolean {
  return !isPoolLabel(object) || metadata.labels?.[NODE_POOL_LABEL] === object.spec.pool;
}
