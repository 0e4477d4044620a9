// The objects that a grant is made of, and those that it is about, as the API server serves them.
import { GROUP, VERSION } from "../api";
import type { KubernetesObject, Resource } from "../controllers/runtime";

/** A User, as far as it is looked at. */
export type User = KubernetesObject;
/** A service account. */
export interface Account extends KubernetesObject {
  automountServiceAccountToken?: boolean;
}
/** The Secret that a grant's tokens are bound to; it holds nothing. */
export interface GrantSecret extends KubernetesObject {
  type?: string;
  immutable?: boolean;
}
/** A Role. */
export interface Role extends KubernetesObject {
  rules: { apiGroups: string[]; resources: string[]; resourceNames?: string[]; verbs: string[] }[];
}
/** Whom a binding names. */
export interface Subject {
  kind: string;
  name: string;
  namespace?: string;
}
/** A RoleBinding or a ClusterRoleBinding. */
export interface Binding extends KubernetesObject {
  roleRef: { apiGroup: string; kind: string; name: string };
  subjects?: Subject[];
}

const rbac = { group: "rbac.authorization.k8s.io", version: "v1" };
const core = { group: "", version: "v1", namespaced: true };

/** Users. */
export const USERS: Resource = {
  group: GROUP,
  version: VERSION,
  kind: "User",
  plural: "users",
  namespaced: false,
};
/** Service accounts. */
export const ACCOUNTS: Resource<Account> = { ...core, kind: "ServiceAccount", plural: "serviceaccounts" };
/** Secrets. */
export const SECRETS: Resource<GrantSecret> = { ...core, kind: "Secret", plural: "secrets" };
/** Roles. */
export const ROLES: Resource<Role> = { ...rbac, kind: "Role", plural: "roles", namespaced: true };
/** RoleBindings. */
export const ROLE_BINDINGS: Resource<Binding> = {
  ...rbac,
  kind: "RoleBinding",
  plural: "rolebindings",
  namespaced: true,
};
/** ClusterRoleBindings. */
export const CLUSTER_ROLE_BINDINGS: Resource<Binding> = {
  ...rbac,
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  namespaced: false,
};
/** What an admission policy holds for. */
export const POLICY_BINDINGS: Resource = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingAdmissionPolicyBinding",
  plural: "validatingadmissionpolicybindings",
  namespaced: false,
};
