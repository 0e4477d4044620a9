import type { Property } from "../../core/property";
import type { Resource } from "../../core/resource";

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

/** Resource types with a pod template. */
export const WORKLOAD_TYPES = WORKLOADS.map(([type]) => type);

/** The pod spec of a workload. */
export function podOf({ type }: Resource, inputs: Property): Property {
  return inputs.at(...(WORKLOADS.find(([known]) => known === type)?.[1] ?? ["spec"]));
}

/** Visits the containers of a pod, with init and ephemeral containers. */
export function eachContainer(pod: Property, check: (container: Property) => void): void {
  for (const key of ["initContainers", "containers", "ephemeralContainers"]) pod.at(key).each(check);
}

/** A field of the security context: the container's, or else the pod's. */
export function securitySetting(pod: Property, container: Property, ...keys: readonly string[]): Property {
  const own = container.at("securityContext", ...keys);
  return own.isSet
    ? own
    : pod.at("securityContext", ...keys).isSet
      ? pod.at("securityContext", ...keys)
      : own;
}
