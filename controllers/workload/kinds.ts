// The kinds that a hub can place in its members besides those that definitions make, and what is special about each.
import { apiVersionOf, type KubernetesObject, type Resource } from "../runtime";
import { kindName } from "./kind-name";

/** A kind that a hub can place, and what of it stays behind. Paths are of the object; `*` stands for each entry of a list. */
export interface PlaceableKind extends Resource {
  /** Fields that the hub's own API server made up, and that would be wrong in a member. */
  strip: readonly string[];
  /** Fields of which the member decides once the object is there. */
  leave: readonly string[];
  /** Whether it has `spec.replicas`, which an autoscaler may set. */
  isScaled: boolean;
  /** Annotations that say how the hub's own controllers see it. */
  annotations: readonly string[];
}

function placeable(
  group: string,
  version: string,
  kind: string,
  plural: string,
  {
    namespaced = true,
    strip = [],
    leave = [],
    isScaled = false,
    annotations = [],
  }: Partial<PlaceableKind> = {},
): PlaceableKind {
  return { group, version, kind, plural, namespaced, strip, leave, isScaled, annotations };
}

/** Kinds that are built into Kubernetes and can be placed. */
export const PLACEABLE: readonly PlaceableKind[] = [
  placeable("apps", "v1", "Deployment", "deployments", {
    isScaled: true,
    annotations: ["deployment.kubernetes.io/revision"],
  }),
  placeable("apps", "v1", "StatefulSet", "statefulsets", { isScaled: true }),
  placeable("apps", "v1", "DaemonSet", "daemonsets", {
    annotations: ["deprecated.daemonset.template.generation"],
  }),
  placeable("batch", "v1", "Job", "jobs", {
    // With its time to live the member would delete it, and it would be made and run again.
    strip: ["spec.ttlSecondsAfterFinished"],
    annotations: ["batch.kubernetes.io/job-tracking"],
  }),
  placeable("batch", "v1", "CronJob", "cronjobs"),
  placeable("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
  placeable("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets"),
  placeable("networking.k8s.io", "v1", "Ingress", "ingresses"),
  placeable("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies"),
  placeable("", "v1", "Service", "services", {
    strip: ["spec.ports.*.nodePort", "spec.healthCheckNodePort", "spec.ipFamilies"],
  }),
  placeable("", "v1", "ConfigMap", "configmaps"),
  placeable("", "v1", "Secret", "secrets"),
  placeable("", "v1", "ServiceAccount", "serviceaccounts", { leave: ["secrets"] }),
  placeable("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", {
    leave: ["spec.volumeName"],
    annotations: [
      "pv.kubernetes.io/bind-completed",
      "pv.kubernetes.io/bound-by-controller",
      "volume.beta.kubernetes.io/storage-provisioner",
      "volume.kubernetes.io/selected-node",
      "volume.kubernetes.io/storage-provisioner",
    ],
  }),
  placeable("", "v1", "PersistentVolume", "persistentvolumes", {
    namespaced: false,
    leave: ["spec.claimRef"],
    annotations: ["pv.kubernetes.io/bound-by-controller", "pv.kubernetes.io/provisioned-by"],
  }),
  placeable("", "v1", "Pod", "pods", { leave: ["spec.nodeName"] }),
];

const BY_NAME = new Map(
  PLACEABLE.map((entry) => [kindName({ apiVersion: apiVersionOf(entry), kind: entry.kind }), entry]),
);

/** What is special about an object's kind; undefined for a kind that a definition made. */
export function placeableKind(
  object: Pick<KubernetesObject, "apiVersion" | "kind">,
): PlaceableKind | undefined {
  return BY_NAME.get(kindName(object));
}

/** Labels that the Job controller puts on a Job's pods, by its UID in the cluster where it was made. */
export const JOB_LABELS: readonly string[] = [
  "controller-uid",
  "job-name",
  "batch.kubernetes.io/controller-uid",
  "batch.kubernetes.io/job-name",
];
