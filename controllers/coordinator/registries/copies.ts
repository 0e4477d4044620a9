import { isNotFound, type ReconcileContext } from "../../runtime";
import { isTerminating, SECRETS, SERVICE_ACCOUNTS, type Namespace } from "../native";
import { deleteOwn, isNamespaceGone, keepOwn } from "../ownership";
import type { Workplace } from "../part";
import { isDeclaredAnew } from "../status";
import { CONTROLLER, copyFor, pullEntries, pullSecretName } from "./pull-secret";
import type { RegistryScene } from "./scene";

/** Keeps the copies of pull secrets in every namespace, and the entries of its service accounts. */
export function setUpCopies(
  { manager, client, namespace: home, concurrency }: Workplace,
  scene: RegistryScene,
): void {
  const { registries, namespaces, secrets, accounts } = scene;

  /** Writes the copies; gives the names of those that can be used, by service account, and of all that are to stay. */
  const spread = async (
    namespace: Namespace,
    signal: AbortSignal,
  ): Promise<{ stay: Set<string>; usable: Map<string, string[]> }> => {
    const { name } = namespace.metadata;
    const stay = new Set<string>();
    const usable = new Map<string, string[]>();
    const foreign = new Set<string>();
    for (const registry of scene.registriesFor(namespace)) {
      const secret = pullSecretName(registry.metadata.name);
      stay.add(secret);
      const original = secrets.get(`${home}/${secret}`);
      const live = secrets.get(`${name}/${secret}`);
      if (original !== undefined && name !== home) {
        const object = copyFor(name, original);
        const kept = await keepOwn(
          client,
          { resource: SECRETS, object, live, controller: CONTROLLER },
          signal,
        );
        if (kept === "foreign") foreign.add(registry.metadata.name);
        if (kept === "foreign" || kept === "no namespace") continue;
      } else if (live === undefined) continue;
      for (const account of registry.spec.serviceAccounts)
        usable.set(account, [...(usable.get(account) ?? []), secret]);
    }
    scene.noteForeign(name, foreign);
    return { stay, usable };
  };

  const reconcile = async (name: string, { signal, log }: ReconcileContext): Promise<undefined> => {
    const namespace = namespaces.get(name);
    if (namespace === undefined || isTerminating(namespace)) {
      scene.noteForeign(name, new Set());
      return undefined;
    }
    const { stay, usable } = await spread(namespace, signal);
    // Entries come after their secrets and go before them: no pod is ever told of one that is not there.
    for (const account of accounts.byIndex("namespace", name)) {
      const imagePullSecrets = pullEntries(account, usable.get(account.metadata.name) ?? []);
      if (imagePullSecrets === undefined) continue;
      const { uid, resourceVersion } = account.metadata;
      try {
        await client.patch(
          SERVICE_ACCOUNTS,
          account.metadata,
          { metadata: { uid, resourceVersion }, imagePullSecrets },
          {
            query: { fieldManager: `fleetwright-${CONTROLLER}` },
            signal,
          },
        );
      } catch (error) {
        if (!isNotFound(error) && !isNamespaceGone(error)) throw error;
      }
    }
    for (const secret of secrets.byIndex("namespace", name)) {
      if (stay.has(secret.metadata.name)) continue;
      const [owner = ""] = scene.registryOf(secret);
      const registry = registries.get(owner);
      // The original stays as long as its Registry, also where no copy is wanted.
      if (name === home && registry !== undefined && !scene.guard.goes(registry)) continue;
      if (registry === undefined && registries.size === 0) {
        log.warn(
          "There is no Registry at all any more, which may be a mistake: pull secrets stay. Delete them by hand, or make the Registries again.",
        );
        continue;
      }
      await deleteOwn(client, SECRETS, secret, CONTROLLER, signal);
    }
    return undefined;
  };

  const controller = manager
    .controller({ name: `${CONTROLLER}-copies`, reconcile, concurrency })
    .watches(namespaces)
    .watches(secrets, ({ metadata }) => [metadata.namespace ?? ""])
    .watches(accounts, ({ metadata }) => [metadata.namespace ?? ""]);
  const all = (): void => {
    for (const { metadata } of namespaces.list()) controller.queue.add(metadata.name);
  };
  secrets.onChange(({ before, after }) => {
    const isOriginal = (after ?? before)?.metadata.namespace === home;
    if (isOriginal && JSON.stringify(before?.data) !== JSON.stringify(after?.data)) all();
  });
  registries.onChange(({ before, after }) => {
    // What is written to status changes nothing here; what is held back depends on the annotations of others too.
    if (isDeclaredAnew(before, after)) all();
  });
}
