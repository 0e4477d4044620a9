// Registers the controller of the people's accounts in the cluster.
import { GROUP, USERS_NAMESPACE } from "../../../api";
import type { ControllerContext, CoordinatorController } from "../controller-context";
import { USERS } from "../kinds";
import { namespacesIn } from "../shared-informers";
import { peopleAccountsIn } from "./accounts";
import { CONTROLLER, usersOf } from "./plan";
import { UserReconciler } from "./reconciler";

/** Keeps a service account for every User. */
export const users: CoordinatorController = {
  name: CONTROLLER,
  description: "a service account for every User, with which the person asks the API server",
  rules: [
    { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"] },
    { apiGroups: [GROUP], resources: ["users"], verbs: ["get", "list", "watch", "patch"] },
    {
      apiGroups: [""],
      resources: ["serviceaccounts"],
      verbs: ["get", "list", "watch", "create", "patch", "delete"],
    },
  ],
  start(context: ControllerContext): void {
    const { manager, concurrency } = context;
    const people = manager.cache.informer(USERS);
    const accounts = peopleAccountsIn(manager.cache);
    const namespaces = namespacesIn(manager.cache);
    const reconciler = new UserReconciler(context, people, accounts);
    const { queue } = manager
      .controller({
        name: CONTROLLER,
        reconcile: (name, reconcileContext) => reconciler.reconcile(name, reconcileContext),
        concurrency,
      })
      .watches(people)
      .watches(accounts, usersOf);
    // Whoever installs the product may declare people before their namespace is there.
    namespaces.onChange(({ key, before, after }) => {
      if (key !== USERS_NAMESPACE || before?.metadata.uid === after?.metadata.uid) return;
      for (const { metadata } of people.list()) queue.add(metadata.name);
    });
  },
};
