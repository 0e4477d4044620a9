// Registers the controller of Registries: one reconciler for credentials, one for their copies in namespaces.
import { GROUP } from "../../../api";
import { systemClock } from "../../runtime";
import { DeletionGuard } from "../../app/deletion-guard";
import { REGISTRIES } from "../kinds";
import { SECRETS } from "../native-resources";
import { ownSelector } from "../../app/ownership";
import type { CoordinatorController, ControllerContext } from "../controller-context";
import { namespacesIn, serviceAccountsIn } from "../shared-informers";
import { hasDeclarationChanged, statusTransform } from "../../app/status";
import { CopyReconciler } from "./copy-reconciler";
import type { Login } from "./credential";
import { loginWith } from "./login";
import { CredentialReconciler } from "./credential-reconciler";
import { CONTROLLER } from "./pull-secret";
import { RegistryState } from "./registry-state";
import { SourceSecrets } from "./source-secrets";

const transform = statusTransform(CONTROLLER);
/** Statuses count namespaces; while many change they are written at most this often. */
const STATUS_INTERVAL_MS = 1000;

/** The controller with a way to log in; tests give their own. */
export function registriesWith(login: Login): CoordinatorController {
  return {
    name: CONTROLLER,
    description: "pull secrets of Registries in every namespace, renewed ahead of time",
    rules: [
      { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"] },
      {
        apiGroups: [""],
        resources: ["secrets"],
        verbs: ["get", "list", "watch", "create", "patch", "delete"],
      },
      { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["get", "list", "watch", "patch"] },
      { apiGroups: [GROUP], resources: ["registries"], verbs: ["get", "list", "watch", "patch"] },
      { apiGroups: [GROUP], resources: ["registries/status"], verbs: ["patch"] },
    ],
    start(context: ControllerContext): void {
      const { cache } = context.manager;
      const all = cache.informer(REGISTRIES, { transform });
      const state = new RegistryState(
        all,
        namespacesIn(cache),
        cache.informer(SECRETS, { labelSelector: ownSelector(CONTROLLER) }),
        serviceAccountsIn(cache),
        new DeletionGuard(all),
      );
      startCredentialReconciler(context, state, login);
      startCopyReconciler(context, state);
    },
  };
}

function startCredentialReconciler(context: ControllerContext, state: RegistryState, login: Login): void {
  const { manager, namespace: home } = context;
  const { registries: all, secrets } = state;
  const names = (): string[] => all.list().map(({ metadata }) => metadata.name);
  const sources = new SourceSecrets(manager.cache, (name) => queue.add(name));
  const reconciler = new CredentialReconciler(context, state, sources, login);
  const { queue } = manager
    .controller({
      name: `${CONTROLLER}-originals`,
      reconcile: (name, reconcileContext) => reconciler.reconcile(name, reconcileContext),
    })
    .watches(secrets, (secret) => (secret.metadata.namespace === home ? state.registryOf(secret) : []));
  const addLater = (keys: Iterable<string>): void => {
    for (const key of keys) queue.addAfter(key, STATUS_INTERVAL_MS);
  };
  all.onChange(({ key, before, after }) => {
    // Our own counts in status must not wake us at once, or they would be written as fast as the server takes them.
    if (hasDeclarationChanged(before, after)) queue.add(key);
    else addLater([key]);
  });
  secrets.onChange(({ before, after }) =>
    addLater([before, after].flatMap((secret) => (secret === undefined ? [] : state.registryOf(secret)))),
  );
  state.namespaces.onChange(({ before, after }) => {
    if (before === undefined || after === undefined || before.metadata.labels !== after.metadata.labels)
      addLater(names());
  });
  state.onForeign(() => addLater(names()));
}

function startCopyReconciler(context: ControllerContext, state: RegistryState): void {
  const { manager, namespace: home, concurrency } = context;
  const { registries: all, namespaces, secrets, accounts } = state;
  const reconciler = new CopyReconciler(context, state);
  const { queue } = manager
    .controller({
      name: `${CONTROLLER}-copies`,
      reconcile: (name, reconcileContext) => reconciler.reconcile(name, reconcileContext),
      concurrency,
    })
    .watches(namespaces)
    .watches(secrets, ({ metadata }) => [metadata.namespace ?? ""])
    .watches(accounts, ({ metadata }) => [metadata.namespace ?? ""]);
  const addAll = (): void => {
    for (const { metadata } of namespaces.list()) queue.add(metadata.name);
  };
  secrets.onChange(({ before, after }) => {
    const isOriginal = (after ?? before)?.metadata.namespace === home;
    if (isOriginal && JSON.stringify(before?.data) !== JSON.stringify(after?.data)) addAll();
  });
  // A write to status changes nothing here; which deletions are held back depends on the annotations of others too.
  all.onChange(({ before, after }) => {
    if (hasDeclarationChanged(before, after)) addAll();
  });
}

/** Keeps the pull secrets of every Registry in every namespace. */
export const registries: CoordinatorController = registriesWith(
  loginWith({ env: process.env, now: () => systemClock.now() }),
);
