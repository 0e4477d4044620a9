// Reconciles Registries: renews their credentials in time and writes their status.
import { GROUP } from "../../../api";
import {
  errorMessage,
  Finalizer,
  type ReconcileContext,
  type ReconcileResult,
  type StepOutcome,
} from "../../runtime";
import type { ControllerContext } from "../controller-context";
import { MASS_DELETION } from "../../app/deletion-guard";
import { REGISTRIES, type RegistryObject } from "../kinds";
import { SECRETS, type Secret } from "../native-resources";
import { keepOwn } from "../../app/ownership";
import { conditionFalse, conditionTrue, StatusWriter, type ConditionState } from "../../app/status";
import { timestamp } from "../timestamp";
import { CredentialError, type Login } from "./credential";
import { isUsable, nextFailure, type RenewalFailure } from "./plan";
import { CONTROLLER, hasEntry, heldBy, originalSecret, pullSecretName, renewalTime } from "./pull-secret";
import type { RegistryState } from "./registry-state";
import { decoded, type SourceSecrets } from "./source-secrets";
import { coverageCondition } from "./status";

/** Keeps the original of one Registry's pull secret valid, and writes the Registry's status. */
export class CredentialReconciler {
  readonly #context: ControllerContext;
  readonly #state: RegistryState;
  readonly #sources: SourceSecrets;
  readonly #login: Login;
  readonly #status;
  readonly #finalizer: Finalizer<RegistryObject>;
  readonly #failures = new Map<string, RenewalFailure>();

  constructor(context: ControllerContext, state: RegistryState, sources: SourceSecrets, login: Login) {
    this.#context = context;
    this.#state = state;
    this.#sources = sources;
    this.#login = login;
    this.#status = new StatusWriter(context.client, REGISTRIES, CONTROLLER);
    this.#finalizer = new Finalizer(context.client, REGISTRIES, `${GROUP}/${CONTROLLER}`, [
      { name: "pull secrets", run: async (registry) => this.#awaitRemoval(registry) },
    ]);
  }

  async reconcile(name: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const { registries, secrets, guard } = this.#state;
    const { signal, clock } = context;
    const registry = registries.get(name);
    if (registry === undefined) {
      this.#status.forget(name);
      this.#failures.delete(name);
      this.#sources.release(name);
      return undefined;
    }
    if (guard.confirmsDeletion(registry)) {
      this.#sources.release(name);
      const end = await this.#finalizer.finalize(registry, signal);
      return end.finished ? undefined : end.result;
    }
    await this.#finalizer.ensure(registry, signal);
    const before = secrets.get(`${this.#context.namespace}/${pullSecretName(name)}`);
    const { original, Credentials } = await this.#renewed(registry, before, context);
    const held = original === undefined ? undefined : heldBy(original);
    const now = clock.now();
    const expired = held?.expiresAt !== undefined && held.expiresAt <= now;
    const coverage = this.#state.coverage(registry, original);
    const Ready = guard.holdsBack(registry)
      ? conditionFalse(MASS_DELETION, guard.message)
      : original === undefined || expired
        ? conditionFalse(expired ? "Expired" : Credentials.reason, Credentials.message)
        : coverageCondition(coverage);
    await this.#status.write(
      registry,
      { Ready, Credentials },
      {
        namespaces: { ready: coverage.ready, total: coverage.total },
        lastRenewed: held === undefined ? undefined : timestamp(held.obtainedAt),
        expiresAt: held?.expiresAt === undefined ? undefined : timestamp(held.expiresAt),
      },
      signal,
    );
    const failure = this.#failures.get(name);
    if (failure !== undefined) return { requeueAfterMs: Math.max(500, failure.retryAt - clock.monotonic()) };
    const due = held === undefined ? undefined : renewalTime(held);
    return due === undefined ? undefined : { requeueAt: due };
  }

  /** The original with a valid credential; if there is none to be had, the one before with the reason. */
  async #renewed(
    registry: RegistryObject,
    before: Secret | undefined,
    context: ReconcileContext,
  ): Promise<{ original: Secret | undefined; Credentials: ConditionState }> {
    try {
      const original = await this.#refresh(registry, before, context);
      return { original, Credentials: conditionTrue("Valid", "The credentials are valid.") };
    } catch (error) {
      if (!(error instanceof CredentialError)) throw error;
      const { reason, message: note } = error;
      context.log.warn("The credentials could not be renewed; the current ones stay in use.", {
        cause: note,
      });
      this.#context.recorder.record(REGISTRIES, registry, {
        type: "Warning",
        reason,
        action: "Renewing",
        note,
      });
      return { original: before, Credentials: conditionFalse(reason, errorMessage(error)) };
    }
  }

  /** Gets a new credential if the present one is missing, changed or due. Gives the original as it is then. */
  async #refresh(
    registry: RegistryObject,
    original: Secret | undefined,
    { clock, signal }: ReconcileContext,
  ): Promise<Secret> {
    const { name } = registry.metadata;
    const source = await this.#source(registry, signal);
    const stamp = `${registry.metadata.generation ?? 0}/${source?.metadata.uid ?? ""}/${source?.metadata.resourceVersion ?? ""}`;
    const now = clock.now();
    const held = original === undefined ? undefined : heldBy(original);
    const good = held !== undefined && isUsable(held, stamp, now);
    if (original !== undefined && good && held.expiresAt !== undefined) return original;
    const failure = this.#failures.get(name);
    // Whatever woke us, a provider that refused is not asked the same again before its time.
    if (failure?.source === stamp && clock.monotonic() < failure.retryAt) throw failure.error;
    const data = source === undefined ? undefined : decoded(source);
    const credential = await this.#login(registry.spec, data, signal).catch((error: unknown) => {
      if (error instanceof CredentialError)
        this.#failures.set(name, nextFailure(failure, stamp, clock.monotonic(), error));
      throw error;
    });
    this.#failures.delete(name);
    const home = this.#context.namespace;
    const fresh = originalSecret(registry, credential, { home, source: stamp, now });
    // An unchanged password is not a new one, or its time would be written again and again.
    if (original !== undefined && good && JSON.stringify(original.data) === JSON.stringify(fresh.data))
      return original;
    const kept = await keepOwn(
      this.#context.client,
      { resource: SECRETS, object: fresh, live: original, controller: CONTROLLER },
      signal,
    );
    if (kept === "foreign")
      throw new CredentialError(
        "ForeignObject",
        `The Secret ${home}/${fresh.metadata.name} exists, is not managed by Fleetwright and is left alone: delete it.`,
      );
    return fresh;
  }

  async #source(
    { metadata: { name }, spec: { credentials } }: RegistryObject,
    signal: AbortSignal,
  ): Promise<Secret | undefined> {
    if (credentials === undefined) {
      this.#sources.release(name);
      return undefined;
    }
    const source = await this.#sources.get(name, credentials, signal);
    if (source !== undefined) return source;
    throw new CredentialError(
      "SecretMissing",
      `Secret ${credentials.namespace}/${credentials.name} does not exist: create it, or set spec.credentials to another.`,
    );
  }

  #awaitRemoval({ metadata }: RegistryObject): StepOutcome {
    const { secrets, accounts } = this.#state;
    const copies = secrets.byIndex("registry", metadata.name).length;
    const entries = accounts
      .list()
      .filter((account) => hasEntry(account, pullSecretName(metadata.name))).length;
    if (copies + entries === 0) return "done";
    return { waitingFor: `${copies} pull secrets and ${entries} service accounts`, againAfterMs: 1000 };
  }
}
