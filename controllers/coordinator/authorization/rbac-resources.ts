import type { KubernetesObject, Resource } from "../../runtime";
import type { Rule } from "./escalation";

/** A ClusterRole. */
export interface ClusterRole extends KubernetesObject {
  rules?: Rule[];
  aggregationRule?: object | undefined;
}

/** Who gets a role; a service account has a namespace and no group. */
export interface Subject {
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
}

/** A ClusterRoleBinding or a RoleBinding. */
export interface NativeBinding extends KubernetesObject {
  roleRef: { apiGroup: string; kind: string; name: string };
  subjects?: Subject[];
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
