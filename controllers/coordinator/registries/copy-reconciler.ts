import { isNotFound, type Logger, type ReconcileContext, type ReconcileResult } from "../../runtime";
import type { ControllerContext } from "../controller-context";
import {
  isTerminating,
  SECRETS,
  SERVICE_ACCOUNTS,
  type Namespace,
  type ServiceAccount,
} from "../native-resources";
import { deleteOwn, isNamespaceGone, keepOwn } from "../../app/ownership";
import { CopyOwners } from "./copy-owner";
import { CONTROLLER, copyFor, pullEntries, pullSecretName } from "./pull-secret";
import type { RegistryState } from "./registry-state";

/** Keeps the pull secrets of one namespace, and the entries of its service accounts that name them. */
export class CopyReconciler {
  readonly #context: ControllerContext;
  readonly #state: RegistryState;
  readonly #owners: CopyOwners;

  constructor(context: ControllerContext, state: RegistryState) {
    this.#context = context;
    this.#state = state;
    this.#owners = new CopyOwners(context.client, context.manager.clock);
  }

  async reconcile(name: string, { signal, log }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const namespace = this.#state.namespaces.get(name);
    if (namespace === undefined || isTerminating(namespace)) {
      this.#state.noteForeign(name, new Set());
      return undefined;
    }
    // Entries come after their secrets and go before them: no pod ever names one that does not exist.
    const { wanted, usable } = await this.#writeCopies(namespace, signal);
    for (const account of this.#state.accounts.byIndex("namespace", name))
      await this.#writeEntries(account, usable.get(account.metadata.name) ?? [], signal);
    const agreed = await this.#deleteUnwanted(name, wanted, log, signal);
    return agreed ? undefined : { requeueAfterMs: 1000 };
  }

  /** Writes the copies. Gives the names of all that are wanted, and by service account those that can be used. */
  async #writeCopies(
    namespace: Namespace,
    signal: AbortSignal,
  ): Promise<{ wanted: Set<string>; usable: Map<string, string[]> }> {
    const { client, namespace: home } = this.#context;
    const { secrets } = this.#state;
    const { name } = namespace.metadata;
    const wanted = new Set<string>();
    const usable = new Map<string, string[]>();
    const foreign = new Set<string>();
    for (const registry of this.#state.registriesFor(namespace)) {
      const secret = pullSecretName(registry.metadata.name);
      wanted.add(secret);
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
    this.#state.noteForeign(name, foreign);
    return { wanted, usable };
  }

  async #writeEntries(
    account: ServiceAccount,
    secrets: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const imagePullSecrets = pullEntries(account, secrets);
    if (imagePullSecrets === undefined) return;
    const { uid, resourceVersion } = account.metadata;
    try {
      await this.#context.client.patchUnread(
        SERVICE_ACCOUNTS,
        account.metadata,
        { metadata: { uid, resourceVersion }, imagePullSecrets },
        { query: { fieldManager: `fleetwright-${CONTROLLER}` }, signal },
      );
    } catch (error) {
      if (!isNotFound(error) && !isNamespaceGone(error)) throw error;
    }
  }

  /** Says whether the API server agreed with all that the cache has as unwanted. */
  async #deleteUnwanted(
    name: string,
    wanted: ReadonlySet<string>,
    log: Logger,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client, namespace: home } = this.#context;
    const { registries, secrets, guard } = this.#state;
    let agreed = true;
    for (const secret of secrets.byIndex("namespace", name)) {
      if (wanted.has(secret.metadata.name)) continue;
      const [owner = ""] = this.#state.registryOf(secret);
      const registry = registries.get(owner);
      // The original stays as long as its Registry, also where no copy is wanted.
      if (name === home && registry !== undefined && !guard.confirmsDeletion(registry)) continue;
      if (registry === undefined && registries.size === 0) {
        log.warn(
          "No Registry exists any more, which may be a mistake: pull secrets stay. Delete them by hand, or create the Registries again.",
        );
        continue;
      }
      const goes = registry !== undefined && guard.confirmsDeletion(registry);
      if (await this.#owners.agree({ name: owner, cached: registry, goes }, name, signal)) {
        await deleteOwn(client, SECRETS, secret, CONTROLLER, signal);
        continue;
      }
      agreed = false;
      log.info(
        "The pull secret stays: the API server knows more of its Registry or namespace than the cache.",
        {
          secret: secret.metadata.name,
        },
      );
    }
    return agreed;
  }
}
