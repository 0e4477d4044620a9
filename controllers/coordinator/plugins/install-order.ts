import { kindName } from "../../workload";
import type { Manifest } from "./manifest";

/** What must be there before what comes after it. Kinds of one line are alike. */
const BEFORE_OTHERS: readonly (readonly string[])[] = [
  ["Namespace"],
  ["CustomResourceDefinition.apiextensions.k8s.io"],
  [
    "PriorityClass.scheduling.k8s.io",
    "StorageClass.storage.k8s.io",
    "RuntimeClass.node.k8s.io",
    "IngressClass.networking.k8s.io",
  ],
  ["ResourceQuota", "LimitRange", "NetworkPolicy.networking.k8s.io", "PodDisruptionBudget.policy"],
  ["ServiceAccount"],
  ["ClusterRole.rbac.authorization.k8s.io", "Role.rbac.authorization.k8s.io"],
  ["ClusterRoleBinding.rbac.authorization.k8s.io", "RoleBinding.rbac.authorization.k8s.io"],
  ["ConfigMap", "Secret"],
  ["PersistentVolume"],
  ["PersistentVolumeClaim"],
  ["Service"],
];
const WORKLOADS: readonly string[] = [
  "Deployment.apps",
  "DaemonSet.apps",
  "StatefulSet.apps",
  "ReplicaSet.apps",
  "ReplicationController",
  "Pod",
  "Job.batch",
  "CronJob.batch",
];
/** What speaks for something that must already run. */
const AFTER_OTHERS: readonly string[] = [
  "APIService.apiregistration.k8s.io",
  "ValidatingWebhookConfiguration.admissionregistration.k8s.io",
  "MutatingWebhookConfiguration.admissionregistration.k8s.io",
  "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io",
];

const RANKS = new Map<string, number>([
  ...BEFORE_OTHERS.flatMap((kinds, rank) => kinds.map((kind) => [kind, rank] as const)),
  ...WORKLOADS.map((kind) => [kind, BEFORE_OTHERS.length] as const),
  ...AFTER_OTHERS.map((kind) => [kind, BEFORE_OTHERS.length + 2] as const),
]);
// Custom resources come after the workloads that act on them, and so go before them.
const OTHERS = BEFORE_OTHERS.length + 1;

/** The rank of custom resource definitions: what follows waits until they are served. */
export const CRD_RANK = 1;

type Kinded = Pick<Manifest, "apiVersion" | "kind">;

/** When an object's turn is; lower comes first. */
export function rankOf(object: Kinded): number {
  return RANKS.get(kindName(object)) ?? OTHERS;
}

/** Whether pods belong to it that should be gone before what they need. */
export function isWorkload(object: Kinded): boolean {
  return WORKLOADS.includes(kindName(object));
}

/** Objects by rank, in the order of installation; the order within a rank stays. */
export function inOrder<T extends Kinded>(objects: readonly T[]): T[][] {
  const groups = new Map<number, T[]>();
  for (const object of objects) groups.set(rankOf(object), [...(groups.get(rankOf(object)) ?? []), object]);
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group);
}
