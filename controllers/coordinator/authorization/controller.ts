// Registers the controller of AuthorizationRoles and AuthorizationRoleBindings.
import { GROUP } from "../../../api";
import { DeletionGuard } from "../deletion-guard";
import { ROLE_BINDINGS, ROLES, USERS, type UserObject } from "../kinds";
import { ownSelector } from "../ownership";
import type { CoordinatorController, ControllerContext } from "../controller-context";
import { namespacesIn } from "../shared-informers";
import { statusTransform } from "../status";
import { peopleAccountsIn } from "../users";
import { BindingReconciler } from "./binding-reconciler";
import { CONTROLLER, ownerOf } from "./plan";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, NATIVE_ROLE_BINDINGS, RBAC_GROUP } from "./rbac-resources";
import { RoleReconciler } from "./role-reconciler";
import { peopleIn, usersOfAccount } from "./subjects";

const transform = statusTransform(CONTROLLER);
const KEEP = ["get", "list", "watch", "create", "patch", "delete"];

/** Keeps native roles and bindings as ours declare them, within what the product allows. */
export const authorization: CoordinatorController = {
  name: CONTROLLER,
  description: "ClusterRoles and bindings for AuthorizationRoles and AuthorizationRoleBindings",
  rules: [
    { apiGroups: [""], resources: ["namespaces", "serviceaccounts"], verbs: ["get", "list", "watch"] },
    { apiGroups: [GROUP], resources: ["users"], verbs: ["get", "list", "watch"] },
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
    // It grants rights that it does not have itself; what it grants is limited by escalation.ts.
    { apiGroups: [RBAC_GROUP], resources: ["clusterroles"], verbs: [...KEEP, "escalate", "bind"] },
    { apiGroups: [RBAC_GROUP], resources: ["clusterrolebindings", "rolebindings"], verbs: KEEP },
  ],
  start(context: ControllerContext): void {
    const { manager, client, namespace: home, concurrency } = context;
    const { cache } = manager;
    const labelSelector = ownSelector(CONTROLLER);
    const roles = cache.informer(ROLES, { transform });
    const bindings = cache.informer(ROLE_BINDINGS, { transform });
    const namespaces = namespacesIn(cache);
    const clusterRoles = cache.informer(CLUSTER_ROLES, { labelSelector });
    const clusterBindings = cache.informer(CLUSTER_ROLE_BINDINGS, { labelSelector });
    const roleBindings = cache.informer(NATIVE_ROLE_BINDINGS, { labelSelector });
    const guards = { roles: new DeletionGuard(roles), bindings: new DeletionGuard(bindings) };

    const roleReconciler = new RoleReconciler(client, roles, clusterRoles, guards.roles);
    manager
      .controller({
        name: `${CONTROLLER}-roles`,
        reconcile: (name, reconcileContext) => roleReconciler.reconcile(name, reconcileContext),
        concurrency,
      })
      .watches(roles)
      .watches(clusterRoles, ({ metadata }) => ownerOf(metadata.annotations));

    const users = cache.informer(USERS);
    const accounts = peopleAccountsIn(cache);
    const people = peopleIn(users, accounts);
    const sources = { roles, bindings, namespaces, clusterBindings, roleBindings, people, guards };
    const bindingReconciler = new BindingReconciler(client, home, sources);
    bindings.addIndex("role", ({ spec }) => [spec.role]);
    bindings.addIndex("namespace", ({ spec }) => (spec.namespace === undefined ? [] : [spec.namespace]));
    bindings.addIndex("user", ({ spec }) => (spec.user === undefined ? [] : [spec.user]));
    bindings.addIndex("team", ({ spec }) => (spec.team === undefined ? [] : [spec.team]));
    const bindingsBy = (index: "role" | "namespace" | "user" | "team", value: string): string[] =>
      bindings.byIndex(index, value).map(({ metadata }) => metadata.name);
    const bindingsOf = ({ metadata, spec }: UserObject): string[] => [
      ...bindingsBy("user", metadata.name),
      ...spec.teams.flatMap((team) => bindingsBy("team", team)),
    ];
    manager
      .controller({
        name: `${CONTROLLER}-bindings`,
        reconcile: (name, reconcileContext) => bindingReconciler.reconcile(name, reconcileContext),
        concurrency,
      })
      .watches(bindings)
      .watches(roles, ({ metadata }) => bindingsBy("role", metadata.name))
      .watches(namespaces, ({ metadata }) => bindingsBy("namespace", metadata.name))
      .watches(users, bindingsOf)
      .watches(accounts, (account) =>
        usersOfAccount(account)
          .flatMap((name) => users.get(name) ?? [])
          .flatMap(bindingsOf),
      )
      .watches(clusterBindings, ({ metadata }) => ownerOf(metadata.annotations))
      .watches(roleBindings, ({ metadata }) => ownerOf(metadata.annotations));
  },
};
