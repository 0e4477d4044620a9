// The ceiling as the cluster has it: two of the ClusterRoles that the controller watches.
import { CLUSTER_CEILING, NAMESPACE_CEILING } from "../../../api";
import type { Informer } from "../../runtime";
import type { Ceiling } from "./escalation";
import type { ClusterRole } from "./rbac-resources";

/** What roles may give now; undefined while a part of it is missing. */
export function ceilingIn(clusterRoles: Informer<ClusterRole>): Ceiling | undefined {
  const namespaces = clusterRoles.get(NAMESPACE_CEILING)?.rules;
  const cluster = clusterRoles.get(CLUSTER_CEILING)?.rules;
  return namespaces === undefined || cluster === undefined ? undefined : { namespaces, cluster };
}

/** Whether a ClusterRole is a part of the ceiling: a change of it concerns every role and binding. */
export function isCeiling({ metadata: { name } }: ClusterRole): boolean {
  return name === NAMESPACE_CEILING || name === CLUSTER_CEILING;
}
