import type { OwnerReference, ReconcileContext, ReconcileResult } from "../../runtime";
import { isTerminating, SERVICE_ACCOUNTS, type Namespace, type ServiceAccount } from "../native";
import { deleteOwn, isOwn, keepOwn, ownLabels } from "../ownership";
import type { Part, Workplace } from "../part";
import { namespacesIn, serviceAccountsIn } from "../sources";

/** The service account that every namespace has. */
export const SERVICE_ACCOUNT = "fleetwright";
/** With the value `disabled` on a namespace, it has none. */
export const SERVICE_ACCOUNT_LABEL = "fleetwright.dev/service-account";

const CONTROLLER = "service-accounts";

/** What a namespace should have: its service account, none, or what there is because nothing can be made there. */
export function wantedIn(namespace: Namespace | undefined): "account" | "none" | "whatever" {
  if (namespace === undefined || isTerminating(namespace)) return "whatever";
  return namespace.metadata.labels?.[SERVICE_ACCOUNT_LABEL] === "disabled" ? "none" : "account";
}

/** The service account of a namespace. */
export function serviceAccountIn(namespace: string, product: Namespace | undefined): ServiceAccount {
  return {
    metadata: {
      namespace,
      name: SERVICE_ACCOUNT,
      labels: ownLabels(CONTROLLER),
      ...(product === undefined || isTerminating(product) ? {} : { ownerReferences: [owner(product)] }),
    },
  };
}

// The product's namespace owns them all: when it is removed, the cluster itself clears them away, even if nothing of
// the product runs any more.
function owner({ metadata: { name, uid = "" } }: Namespace): OwnerReference {
  return { apiVersion: "v1", kind: "Namespace", name, uid };
}

/** Keeps the service account `fleetwright` in every namespace. */
export const serviceAccounts: Part = {
  name: CONTROLLER,
  describes: "the service account fleetwright in every namespace",
  rules: [
    { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"] },
    {
      apiGroups: [""],
      resources: ["serviceaccounts"],
      verbs: ["get", "list", "watch", "create", "patch", "delete"],
    },
  ],
  setUp({ manager, client, recorder, namespace: home, concurrency }: Workplace): void {
    const namespaces = namespacesIn(manager.cache);
    const accounts = serviceAccountsIn(manager.cache);
    const reconcile = async (
      key: string,
      { signal, log }: ReconcileContext,
    ): Promise<ReconcileResult | undefined> => {
      const namespace = namespaces.get(key);
      const wanted = wantedIn(namespace);
      const live = accounts.get(`${key}/${SERVICE_ACCOUNT}`);
      if (namespace === undefined || wanted === "whatever") return undefined;
      if (wanted === "none") {
        if (live !== undefined && isOwn(live, CONTROLLER))
          await deleteOwn(client, SERVICE_ACCOUNTS, live, CONTROLLER, signal);
        return undefined;
      }
      const object = serviceAccountIn(key, namespaces.get(home));
      const kept = await keepOwn(
        client,
        { resource: SERVICE_ACCOUNTS, object, live, controller: CONTROLLER },
        signal,
      );
      if (kept === "foreign") {
        const note = `The ServiceAccount ${key}/${SERVICE_ACCOUNT} was made by somebody else and is left alone: delete it, label it as Fleetwright's, or label the namespace ${SERVICE_ACCOUNT_LABEL}=disabled.`;
        log.warn(note);
        recorder.record(
          { group: "", version: "v1", kind: "Namespace", plural: "namespaces", namespaced: false },
          namespace,
          {
            type: "Warning",
            reason: "ForeignServiceAccount",
            action: "Keeping",
            note,
          },
        );
      }
      return undefined;
    };
    const controller = manager
      .controller({ name: CONTROLLER, reconcile, concurrency })
      .watches(namespaces)
      .watches(accounts, ({ metadata }) =>
        metadata.name === SERVICE_ACCOUNT ? [metadata.namespace ?? ""] : [],
      );
    // The owner is another one when the product's namespace was made anew.
    namespaces.onChange(({ key, before, after }) => {
      if (key !== home || before?.metadata.uid === after?.metadata.uid) return;
      for (const { metadata } of namespaces.list()) controller.queue.add(metadata.name);
    });
  },
};
