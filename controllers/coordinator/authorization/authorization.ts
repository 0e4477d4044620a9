import { GROUP } from "../../../api";
import { DeletionGuard } from "../deletion-guard";
import { ROLE_BINDINGS, ROLES } from "../kinds";
import { ownSelector } from "../ownership";
import type { Part, Workplace } from "../part";
import { statusTransform } from "../status";
import { setUpBindings } from "./bindings";
import { CONTROLLER } from "./desired";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, NATIVE_ROLE_BINDINGS, RBAC_GROUP } from "./native-roles";
import { setUpRoles } from "./roles";

const transform = statusTransform(CONTROLLER);
const KEEP = ["get", "list", "watch", "create", "patch", "delete"];

/** Keeps native roles and bindings as ours declare them, within what the product allows. */
export const authorization: Part = {
  name: CONTROLLER,
  describes: "ClusterRoles and bindings for AuthorizationRoles and AuthorizationRoleBindings",
  rules: [
    { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"] },
    {
      apiGroups: [GROUP],
      resources: ["authorizationroles", "authorizationrolebindings"],
      verbs: ["get", "list", "watch", "patch"],
    },
    {
      apiGroups: [GROUP],
      resources: ["authorizationroles/status", "authorizationrolebindings/status"],
      verbs: ["patch"],
    },
    // It gives rights that it does not have itself; what it gives is held within bounds by allowance.ts.
    { apiGroups: [RBAC_GROUP], resources: ["clusterroles"], verbs: [...KEEP, "escalate", "bind"] },
    { apiGroups: [RBAC_GROUP], resources: ["clusterrolebindings", "rolebindings"], verbs: KEEP },
  ],
  setUp(workplace: Workplace): void {
    const { cache } = workplace.manager;
    const labelSelector = ownSelector(CONTROLLER);
    const roles = cache.informer(ROLES, { transform });
    const bindings = cache.informer(ROLE_BINDINGS, { transform });
    const clusterRoles = cache.informer(CLUSTER_ROLES, { labelSelector });
    const guards = { roles: new DeletionGuard(roles), bindings: new DeletionGuard(bindings) };
    setUpRoles(workplace, roles, clusterRoles, guards.roles);
    setUpBindings(workplace, {
      roles,
      bindings,
      clusterBindings: cache.informer(CLUSTER_ROLE_BINDINGS, { labelSelector }),
      roleBindings: cache.informer(NATIVE_ROLE_BINDINGS, { labelSelector }),
      guards,
    });
  },
};
