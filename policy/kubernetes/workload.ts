import type { Property } from "../judge/property";
import type { Resource } from "../judge/resource";

const TEMPLATE = ["spec", "template", "spec"] as const;
const WORKLOADS: readonly (readonly [type: string, podSpec: readonly string[]])[] = [
  ["kubernetes:core/v1:Pod", ["spec"]],
  ["kubernetes:core/v1:PodTemplate", ["template", "spec"]],
  ["kubernetes:core/v1:ReplicationController", TEMPLATE],
  ["kubernetes:apps/v1:Deployment", TEMPLATE],
  ["kubernetes:apps/v1:DaemonSet", TEMPLATE],
  ["kubernetes:apps/v1:StatefulSet", TEMPLATE],
  ["kubernetes:apps/v1:ReplicaSet", TEMPLATE],
  ["kubernetes:batch/v1:Job", TEMPLATE],
  ["kubernetes:batch/v1:CronJob", ["spec", "jobTemplate", "spec", "template", "spec"]],
];

/** The types that hold pods. */
export const WORKLOAD_TYPES = WORKLOADS.map(([type]) => type);

/** The pod that a workload makes. */
export function podOf({ type }: Resource, inputs: Property): Property {
  return inputs.at(...(WORKLOADS.find(([known]) => known === type)?.[1] ?? ["spec"]));
}

/** Judges each container of a pod by itself, also those that run before it and those that are added for debugging. */
export function eachContainer(pod: Property, judge: (container: Property) => void): void {
  for (const key of ["initContainers", "containers", "ephemeralContainers"]) pod.at(key).each(judge);
}

/** A setting of security: the container's own, or else the pod's. */
export function securitySetting(pod: Property, container: Property, ...keys: readonly string[]): Property {
  const own = container.at("securityContext", ...keys);
  return own.isSet
    ? own
    : pod.at("securityContext", ...keys).isSet
      ? pod.at("securityContext", ...keys)
      : own;
}
