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
  status?: { phase?: string };
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
    const rule = drain.rules.find(
      ({ podSelector, namespaceSelector }) =>
        selects(podSelector, pod.metadata.labels) &&
        selects(namespaceSelector, labelsOf(pod.metadata.namespace ?? "")),
    );
    if (rule?.behavior === "Skip") continue;
    const order = rule?.order ?? 0;
    if (pod.metadata.deletionTimestamp !== undefined) {
      waitingOrders.add(order);
      waitingFor.push(`${name} to end${heldBy(pod)}`);
    } else if (rule?.behavior === "WaitCompleted") waitingFor.push(`${name} to finish by itself`);
    else if (!drain.evictUnmanaged && !isManaged(pod))
      waitingFor.push(`${name}, which nothing would make again: delete it, or set drain.evictUnmanaged`);
    else if (!drain.deleteEmptyDirData && hasEmptyDir(pod))
      waitingFor.push(`${name}, whose emptyDir would be lost: delete it, or set drain.deleteEmptyDirData`);
    else byOrder.set(order, [...(byOrder.get(order) ?? []), pod]);
  }
  const first = Math.min(...byOrder.keys(), ...waitingOrders);
  const evict = byOrder.get(first) ?? [];
  const empty = byOrder.size === 0 && waitingFor.length === 0;
  return { evict, waitingFor, empty };
}

function stays({ metadata, status }: Pod): boolean {
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
