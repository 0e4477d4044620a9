// The namespaces in which nobody but administrators, the cluster itself and our programs writes anything, whatever roles
// say: who may run a pod there, or get into one, acts as the cluster or as Fleetwright.
import { PLUGIN_NAMESPACE, SYSTEM_NAMESPACE, USERS_NAMESPACE } from "../names";

/** Always protected: the product's own and the cluster's. Leases of nodes are in `kube-node-lease`. */
export const PROTECTED_NAMESPACES: readonly string[] = [
  SYSTEM_NAMESPACE,
  PLUGIN_NAMESPACE,
  USERS_NAMESPACE,
  "kube-node-lease",
  "kube-public",
  "kube-system",
];

/** With the value "true" on a namespace, that one is protected too. Roles cannot give writes on namespaces. */
export const PROTECTED_LABEL = "fleetwright.dev/protected";

/** What lets its holder write in a protected namespace: the verb `use` on this resource of ours. It stands for no object. */
export const PROTECTED_NAMESPACES_RESOURCE = "protectednamespaces";

/** Whether a namespace is protected. */
export function isProtectedNamespace(name: string, labels: Readonly<Record<string, string>> = {}): boolean {
  return PROTECTED_NAMESPACES.includes(name) || labels[PROTECTED_LABEL] === "true";
}
