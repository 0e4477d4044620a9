import type { Property } from "../../core/property";

export const CLUSTER_ROLE = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole";
export const ROLE = "kubernetes:rbac.authorization.k8s.io/v1:Role";
export const CLUSTER_ROLE_BINDING = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding";
export const ROLE_BINDING = "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding";
export const ROLES = [CLUSTER_ROLE, ROLE];
export const BINDINGS = [CLUSTER_ROLE_BINDING, ROLE_BINDING];

/** Verbs that read. */
export const LISTING = ["list", "watch", "get"];
/** Verbs that write. */
export const WRITING = ["create", "update", "patch", "delete", "deletecollection"];

/** Whether an RBAC rule grants one of some verbs on a resource, by name or by wildcard. */
export function allows(
  rule: Property,
  group: string,
  resource: string | RegExp,
  verbs: readonly string[],
): boolean {
  const has = (key: string, test: (text: string) => boolean): boolean =>
    rule
      .at(key)
      .texts()
      .some((text) => text === "*" || test(text));
  return (
    has("apiGroups", (text) => text === group) &&
    has("resources", (text) => (typeof resource === "string" ? text === resource : resource.test(text))) &&
    has("verbs", (text) => verbs.includes(text))
  );
}
