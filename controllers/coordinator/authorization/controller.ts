// Registers the controller of AuthorizationRoles and AuthorizationRoleBindings.
import { AUTHORIZATION_ACCOUNT, CLUSTER_AUTHORIZATION_ACCOUNT, GROUP } from "../../../api";
import { DeletionGuard } from "../../app/deletion-guard";
import { ROLE_BINDINGS, ROLES, USERS, type UserObject } from "../kinds";
import { ownSelector } from "../../app/ownership";
import type { CoordinatorController, ControllerContext } from "../controller-context";
import { namespacesIn } from "../shared-informers";
import { statusTransform } from "../../app/status";
import { peopleAccountsIn } from "../users";
import { BindingReconciler } from "./binding-reconciler";
import { isCeiling } from "./ceiling-source";
import { KeyedMutex } from "../../../lib/keyed-mutex";
import { NativeBindings } from "./native-bindings";
import { CONTROLLER, ownerOf } from "./plan";
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  NATIVE_ROLE_BINDINGS,
  RBAC_GROUP,
  type ClusterRole,
} from "./rbac-resources";
import { RoleReconciler } from "./role-reconciler";
import { peopleIn, usersOfAccount } from "./subjects";

const transform = statusTransform(CONTROLLER);
const READ = ["get", "list", "watch"];
const WRITE = ["create", "patch", "delete"];

/** Keeps native roles and bindings as ours declare them, within what the ceiling allows. */
export const authorization: CoordinatorController = {
  name: CONTROLLER,
  description: "ClusterRoles and bindings for AuthorizationRoles and AuthorizationRoleBindings",
  rules: [
    { apiGroups: [""], resources: ["namespaces", "serviceaccounts"], verbs: READ },
    { apiGroups: [GROUP], resources: ["users"], verbs: READ },
    {
      apiGroups: [GROUP],
      resources: ["authorizationroles", "authorizationrolebindings"],
      verbs: [...READ, "patch"],
    },
    {
      apiGroups: [GROUP],
      resources: ["authorizationroles/status", "authorizationrolebindings/status"],
      verbs: ["patch"],
    },
    {
      apiGroups: [RBAC_GROUP],
      resources: ["clusterroles", "clusterrolebindings", "rolebindings"],
      verbs: READ,
    },
  ],
  // Neither has `escalate` or `bind`: they can give only what they hold, which is the ceiling (api/authorization).
  accounts: {
    [AUTHORIZATION_ACCOUNT]: {
      rules: [{ apiGroups: [RBAC_GROUP], resources: ["clusterroles", "rolebindings"], verbs: WRITE }],
    },
    [CLUSTER_AUTHORIZATION_ACCOUNT]: {
      rules: [{ apiGroups: [RBAC_GROUP], resources: ["clusterrolebindings", "rolebindings"], verbs: WRITE }],
    },
  },
  start(context: ControllerContext): void {
    const { manager, client, concurrency } = context;
    const { cache, reader } = manager;
    const labelSelector = ownSelector(CONTROLLER);
    const roles = cache.informer(ROLES, { transform });
    const bindings = cache.informer(ROLE_BINDINGS, { transform });
    const namespaces = namespacesIn(cache);
    const clusterRoles = cache.informer(CLUSTER_ROLES, { labelSelector });
    const clusterBindings = cache.informer(CLUSTER_ROLE_BINDINGS, { labelSelector });
    const roleBindings = cache.informer(NATIVE_ROLE_BINDINGS, { labelSelector });
    const users = cache.informer(USERS);
    const accounts = peopleAccountsIn(cache);
    const roleGuard = new DeletionGuard(roles);
    const locks = new KeyedMutex();
    const inNamespaces = context.actingAs(AUTHORIZATION_ACCOUNT);
    const everywhere = context.actingAs(CLUSTER_AUTHORIZATION_ACCOUNT);

    const bindingReconciler = new BindingReconciler(client, {
      roles,
      clusterRoles,
      namespaces,
      roleGuard,
      bindings,
      people: peopleIn(users, accounts),
      natives: new NativeBindings({ reader, inNamespaces, everywhere, clusterBindings, roleBindings }),
      guard: new DeletionGuard(bindings),
      locks,
    });
    const roleReconciler = new RoleReconciler(client, inNamespaces, {
      roles,
      clusterRoles,
      guard: roleGuard,
      bindings: bindingReconciler,
      locks,
    });

    bindings.addIndex("role", ({ spec }) => [spec.role]);
    bindings.addIndex("namespace", ({ spec }) => (spec.namespace === undefined ? [] : [spec.namespace]));
    bindings.addIndex("user", ({ spec }) => (spec.user === undefined ? [] : [spec.user]));
    bindings.addIndex("team", ({ spec }) => (spec.team === undefined ? [] : [spec.team]));
    const names = (objects: readonly { metadata: { name: string } }[]): string[] =>
      objects.map(({ metadata }) => metadata.name);
    const bindingsBy = (index: "role" | "namespace" | "user" | "team", value: string): string[] =>
      names(bindings.byIndex(index, value));
    // A change of the ceiling concerns all.
    const rolesOf = (object: ClusterRole): string[] =>
      isCeiling(object) ? names(roles.list()) : ownerOf(object.metadata.annotations);
    const bindingsOf = (object: ClusterRole): string[] =>
      isCeiling(object)
        ? names(bindings.list())
        : ownerOf(object.metadata.annotations).flatMap((role) => bindingsBy("role", role));
    const bindingsOfPerson = ({ metadata, spec }: UserObject): string[] => [
      ...bindingsBy("user", metadata.name),
      ...spec.teams.flatMap((team) => bindingsBy("team", team)),
    ];
    manager
      .controller({
        name: `${CONTROLLER}-roles`,
        reconcile: (name, reconcileContext) => roleReconciler.reconcile(name, reconcileContext),
        concurrency,
      })
      .watches(roles)
      .watches(clusterRoles, rolesOf);
    manager
      .controller({
        name: `${CONTROLLER}-bindings`,
        reconcile: (name, reconcileContext) => bindingReconciler.reconcile(name, reconcileContext),
        concurrency,
      })
      .watches(bindings)
      .watches(roles, ({ metadata }) => bindingsBy("role", metadata.name))
      .watches(clusterRoles, bindingsOf)
      .watches(namespaces, ({ metadata }) => bindingsBy("namespace", metadata.name))
      .watches(users, bindingsOfPerson)
      .watches(accounts, (account) =>
        usersOfAccount(account)
          .flatMap((name) => users.get(name) ?? [])
          .flatMap(bindingsOfPerson),
      )
      .watches(clusterBindings, ({ metadata }) => ownerOf(metadata.annotations))
      .watches(roleBindings, ({ metadata }) => ownerOf(metadata.annotations));
  },
};
