// Decides what happens to the pods of a node that is emptied. Pure functions.
import type { KubernetesObject } from "../../runtime";
import type { UpgradeObject } from "../kinds";
import { selects } from "../selector";

/** A pod, as far as draining looks at it. */
export interface Pod extends KubernetesObject {
  spec?: {
    nodeName?: string;
    volumes?: { name: string; emptyDir?: object | null }[];
    containers?: { name: string; image?: string }[];
  };
  status?: { phase?: string; conditions?: { type: string; status: string }[] };
}

type DrainSpec = UpgradeObject["spec"]["drain"];

/** What has to happen to a node's pods. */
export interface DrainPlan {
  /** To be evicted now: those of the lowest order that is not empty yet. */
  evict: Pod[];
  /** Why the node is not empty although nothing can be evicted now, or besides that. */
  waitingFor: string[];
  /** Whether nothing stands in the way any more. */
  empty: boolean;
}

const MIRROR = "kubernetes.io/config.mirror";

/** Decides about the pods of a node. Pods of DaemonSets, static pods and finished ones stay. */
export function planDrain(
  pods: readonly Pod[],
  drain: DrainSpec,
  labelsOf: (namespace: string) => Readonly<Record<string, string>>,
): DrainPlan {
  const waitingFor: string[] = [];
  const byOrder = new Map<number, Pod[]>();
  const waitingOrders = new Set<number>();
  for (const pod of pods) {
    if (stays(pod)) continue;
    const name = `${pod.metadata.namespace ?? ""}/${pod.metadata.name}`;
    const rule = ruleFor(pod, drain, labelsOf);
    if (rule?.behavior === "Skip") continue;
    const order = rule?.order ?? 0;
    if (pod.metadata.deletionTimestamp !== undefined) {
      waitingOrders.add(order);
      waitingFor.push(`${name} to end${heldBy(pod)}`);
    } else if (rule?.behavior === "WaitCompleted") waitingFor.push(`${name} to finish by itself`);
    else if (objectionTo(pod, drain) !== undefined)
      waitingFor.push(`${name}, ${objectionTo(pod, drain) ?? ""}`);
    else byOrder.set(order, [...(byOrder.get(order) ?? []), pod]);
  }
  const first = Math.min(...byOrder.keys(), ...waitingOrders);
  const evict = byOrder.get(first) ?? [];
  const empty = byOrder.size === 0 && waitingFor.length === 0;
  return { evict, waitingFor, empty };
}

/** The first rule that fits a pod. */
export function ruleFor(
  { metadata: { labels, namespace = "" } }: Pod,
  { rules }: DrainSpec,
  labelsOf: (namespace: string) => Readonly<Record<string, string>>,
): DrainSpec["rules"][number] | undefined {
  return rules.find(
    ({ podSelector, namespaceSelector }) =>
      selects(podSelector, labels) && selects(namespaceSelector, labelsOf(namespace)),
  );
}

/** Why a pod must not be evicted as the drain is declared, with the fix; undefined if it may be. */
export function objectionTo(pod: Pod, { evictUnmanaged, deleteEmptyDirData }: DrainSpec): string | undefined {
  if (!evictUnmanaged && !isManaged(pod))
    return "which nothing would make again: delete it, or set drain.evictUnmanaged";
  if (!deleteEmptyDirData && hasEmptyDir(pod))
    return "whose emptyDir would be lost: delete it, or set drain.deleteEmptyDirData";
  return undefined;
}

/** Whether a pod is left where it is: one of a DaemonSet, a static one, one that has finished. */
export function stays({ metadata, status }: Pod): boolean {
  if (metadata.annotations?.[MIRROR] !== undefined) return true;
  if (status?.phase === "Succeeded" || status?.phase === "Failed")
    return metadata.deletionTimestamp === undefined;
  return (
    metadata.ownerReferences?.some(({ kind, controller }) => kind === "DaemonSet" && controller === true) ??
    false
  );
}

function isManaged({ metadata }: Pod): boolean {
  return metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false;
}

function hasEmptyDir({ spec }: Pod): boolean {
  return spec?.volumes?.some(({ emptyDir }) => emptyDir !== undefined) ?? false;
}

function heldBy({ metadata: { finalizers = [] } }: Pod): string {
  return finalizers.length === 0 ? "" : `, held by ${finalizers.join(", ")}`;
}
