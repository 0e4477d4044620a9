// Kinds of the hub as its controllers' clients have them.
import { GROUP, VERSION } from "../../api";
import { HUB_PLURALS, type apiResourceImport, type cluster } from "../../api/hub";
import type { SpecOf, StatusOf } from "../../api";
import type { KubernetesObject, Resource } from "../runtime";

/** An object of a kind with its defaults. */
interface Custom<Spec, Status> extends KubernetesObject {
  spec: Spec;
  status?: Status;
}

/** A Cluster on the hub. */
export type ClusterObject = Custom<SpecOf<typeof cluster>, StatusOf<typeof cluster>>;
/** An APIResourceImport on the hub. */
export type ImportObject = Custom<SpecOf<typeof apiResourceImport>, StatusOf<typeof apiResourceImport>>;

/** Clusters. */
export const CLUSTERS: Resource<ClusterObject> = {
  group: GROUP,
  version: VERSION,
  kind: "Cluster",
  plural: HUB_PLURALS.Cluster,
  namespaced: false,
};

/** A Secret. */
export interface SecretObject extends KubernetesObject {
  type?: string;
  data?: Record<string, string>;
}

/** Secrets. */
export const SECRETS: Resource<SecretObject> = {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
};

/** What RBAC knows. */
export interface RbacObject extends KubernetesObject {
  rules?: readonly object[];
  roleRef?: object;
  subjects?: readonly object[];
}

function rbac(kind: string, plural: string, namespaced: boolean): Resource<RbacObject> {
  return { group: "rbac.authorization.k8s.io", version: "v1", kind, plural, namespaced };
}

/** Roles. */
export const ROLES = rbac("Role", "roles", true);
/** Bindings of roles. */
export const ROLE_BINDINGS = rbac("RoleBinding", "rolebindings", true);
/** Roles of the whole hub. */
export const CLUSTER_ROLES = rbac("ClusterRole", "clusterroles", false);
/** Their bindings. */
export const CLUSTER_ROLE_BINDINGS = rbac("ClusterRoleBinding", "clusterrolebindings", false);
