import type { ControllerContext, CoordinatorController } from "../controller-context";
import { namespacesIn, serviceAccountsIn } from "../shared-informers";
import { CONTROLLER, SERVICE_ACCOUNT } from "./plan";
import { ServiceAccountReconciler } from "./reconciler";

/** Keeps the service account `fleetwright` in every namespace. */
export const serviceAccounts: CoordinatorController = {
  name: CONTROLLER,
  description: "the service account fleetwright in every namespace",
  rules: [
    { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"] },
    {
      apiGroups: [""],
      resources: ["serviceaccounts"],
      verbs: ["get", "list", "watch", "create", "patch", "delete"],
    },
  ],
  start(context: ControllerContext): void {
    const { manager, namespace: home, concurrency } = context;
    const namespaces = namespacesIn(manager.cache);
    const accounts = serviceAccountsIn(manager.cache);
    const reconciler = new ServiceAccountReconciler(context, namespaces, accounts);
    const { queue } = manager
      .controller({
        name: CONTROLLER,
        reconcile: (name, reconcileContext) => reconciler.reconcile(name, reconcileContext),
        concurrency,
      })
      .watches(namespaces)
      .watches(accounts, ({ metadata }) =>
        metadata.name === SERVICE_ACCOUNT ? [metadata.namespace ?? ""] : [],
      );
    // When the product's namespace is created anew, every service account gets the new owner.
    namespaces.onChange(({ key, before, after }) => {
      if (key !== home || before?.metadata.uid === after?.metadata.uid) return;
      for (const { metadata } of namespaces.list()) queue.add(metadata.name);
    });
  },
};
