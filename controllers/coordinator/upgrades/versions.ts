// Reads versions and roles from nodes.
import type { Node } from "../native-resources";

/** What a node's kubelet says it is. */
export function kubeletVersion({ status }: Node): string {
  return status?.nodeInfo?.kubeletVersion ?? "";
}

/** Whether a node is Ready. */
export function isReady(node: Node): boolean {
  return conditionOf(node, "Ready") === "True";
}

/** Whether a node's etcd votes; undefined if nobody says so. RKE2 and k3s do, by the condition EtcdIsVoter. */
export function isVoter(node: Node): boolean | undefined {
  const status = conditionOf(node, "EtcdIsVoter");
  return status === undefined ? undefined : status === "True";
}

function conditionOf({ status }: Node, type: string): string | undefined {
  return status?.conditions?.find((condition) => condition.type === type)?.status;
}

const CONTROL_PLANE_LABELS = [
  "node-role.kubernetes.io/control-plane",
  "node-role.kubernetes.io/master",
  "node-role.kubernetes.io/etcd",
];

/** Whether a node runs a part of the control plane. */
export function isControlPlane({ metadata }: Node): boolean {
  return CONTROL_PLANE_LABELS.some((label) => Object.hasOwn(metadata.labels ?? {}, label));
}
