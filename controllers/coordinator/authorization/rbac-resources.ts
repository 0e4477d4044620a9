import type { KubernetesObject, Resource } from "../../runtime";
import type { Rule } from "./escalation";

/** A ClusterRole. */
export interface ClusterRole extends KubernetesObject {
  rules?: Rule[];
  aggregationRule?: object | undefined;
}

/** A ClusterRoleBinding or a RoleBinding. */
export interface NativeBinding extends KubernetesObject {
  roleRef: { apiGroup: string; kind: string; name: string };
  subjects?: { apiGroup: string; kind: string; name: string }[];
}

const group = "rbac.authorization.k8s.io";

/** ClusterRoles. */
export const CLUSTER_ROLES: Resource<ClusterRole> = {
  group,
  version: "v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  namespaced: false,
};
/** ClusterRoleBindings. */
export const CLUSTER_ROLE_BINDINGS: Resource<NativeBinding> = {
  group,
  version: "v1",
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  namespaced: false,
};
/** RoleBindings. */
export const NATIVE_ROLE_BINDINGS: Resource<NativeBinding> = {
  group,
  version: "v1",
  kind: "RoleBinding",
  plural: "rolebindings",
  namespaced: true,
};

/** The API group of everything here. */
export const RBAC_GROUP = group;
