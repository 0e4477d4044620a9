// The service accounts with whose rights the coordinator writes native roles and bindings: two, because the API server
// measures a binding by all that its writer holds, and more may be given in a namespace than everywhere.
import { SYSTEM_NAMESPACE } from "../names";

/** What the coordinator runs as. */
export const COORDINATOR_ACCOUNT = "fleetwright-coordinator";
/** Writes ClusterRoles, and RoleBindings in namespaces that are not protected. Holds what roles may give in a namespace. */
export const AUTHORIZATION_ACCOUNT = "fleetwright-authorization";
/** Writes ClusterRoleBindings, and RoleBindings in protected namespaces. Holds what roles may give everywhere. */
export const CLUSTER_AUTHORIZATION_ACCOUNT = "fleetwright-authorization-cluster";

/** What the names of native roles and bindings that stand for ours begin with. */
export const NATIVE_PREFIX = "fleetwright:";

/** The user name of a service account, as the API server sees it. */
export function accountUser(name: string, namespace = SYSTEM_NAMESPACE): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
