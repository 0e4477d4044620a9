import { GROUP } from "../../../api";
import { errorMessage, Finalizer, type ReconcileContext, type ReconcileResult } from "../../runtime";
import { REGISTRIES, type RegistryObject } from "../kinds";
import { SECRETS, type Secret } from "../native";
import { keepOwn } from "../ownership";
import type { Workplace } from "../part";
import { isDeclaredAnew, StatusWriter, well, wrong, type Judgement } from "../status";
import { CredentialError, type Login } from "./credential";
import {
  CONTROLLER,
  hasEntry,
  heldBy,
  moment,
  originalSecret,
  pullSecretName,
  renewalTime,
  type Held,
} from "./pull-secret";
import type { RegistryScene } from "./scene";
import { decoded, SourceSecrets } from "./source-secrets";

const FIRST_RETRY_MS = 2000;
const LAST_RETRY_MS = 300_000;
/** Statuses count namespaces; while many change they are written at most this often. */
const STATUS_EVERY_MS = 1000;

/** Keeps the original of every Registry's pull secret valid, and tells how far its copies are. */
export function setUpOriginals(
  { manager, client, recorder, namespace: home }: Workplace,
  scene: RegistryScene,
  login: Login,
): void {
  const { registries, secrets, accounts, guard } = scene;
  const status = new StatusWriter(client, REGISTRIES, CONTROLLER);
  const failures = new Map<string, Failure>();
  const finalizer = new Finalizer(client, REGISTRIES, `${GROUP}/${CONTROLLER}`, [
    {
      name: "pull secrets",
      run: async ({ metadata }) => {
        const copies = secrets.byIndex("registry", metadata.name).length;
        const entries = accounts
          .list()
          .filter((account) => hasEntry(account, pullSecretName(metadata.name))).length;
        if (copies + entries === 0) return "done";
        return { waitingFor: `${copies} pull secrets and ${entries} service accounts`, againAfterMs: 1000 };
      },
    },
  ]);

  /** Gets a credential if the one that is held will not do. Gives the original as it is then. */
  const refresh = async (
    registry: RegistryObject,
    held: Held | undefined,
    original: Secret | undefined,
    context: ReconcileContext,
  ): Promise<Secret> => {
    const { credentials } = registry.spec;
    const source = credentials === undefined ? undefined : await sources.get(credentials);
    if (credentials !== undefined && source === undefined)
      throw new CredentialError(
        "SecretMissing",
        `There is no Secret ${credentials.namespace}/${credentials.name}: make it, or name another in spec.credentials.`,
      );
    const stamp = `${registry.metadata.generation ?? 0}/${source?.metadata.uid ?? ""}/${source?.metadata.resourceVersion ?? ""}`;
    const now = context.clock.now();
    const due = held === undefined ? now : renewalTime(held);
    const good = held?.source === stamp && held.intact && (due === undefined || now < due);
    const isToken = held?.expiresAt !== undefined;
    if (original !== undefined && good && isToken) return original;
    const failure = failures.get(registry.metadata.name);
    // Whatever woke us, a provider that refused is not asked the same thing again before its time.
    if (failure?.source === stamp && now < failure.againAt) throw failure.error;
    const data = source === undefined ? undefined : decoded(source);
    const credential = await login(registry.spec, data, context.signal).catch((error: unknown) => {
      if (error instanceof CredentialError)
        failures.set(registry.metadata.name, nextFailure(failure, stamp, now, error));
      throw error;
    });
    failures.delete(registry.metadata.name);
    const fresh = originalSecret(registry, credential, { home, source: stamp, now });
    // A password that is the same was not obtained anew, or its time would be written again and again.
    const same =
      original !== undefined && good && JSON.stringify(original.data) === JSON.stringify(fresh.data);
    if (same) return original;
    const kept = await keepOwn(
      client,
      { resource: SECRETS, object: fresh, live: original, controller: CONTROLLER },
      context.signal,
    );
    if (kept === "foreign")
      throw new CredentialError(
        "ForeignObject",
        `There is a Secret ${home}/${fresh.metadata.name} that somebody else made, and it is left alone: delete it.`,
      );
    return fresh;
  };

  const reconcile = async (name: string, context: ReconcileContext): Promise<ReconcileResult | undefined> => {
    const { signal, log, clock } = context;
    const registry = registries.get(name);
    if (registry === undefined) {
      status.forget(name);
      failures.delete(name);
      return undefined;
    }
    if (guard.goes(registry)) {
      const end = await finalizer.finalize(registry, signal);
      return end.finished ? undefined : end.result;
    }
    await finalizer.ensure(registry, signal);
    const before = secrets.get(`${home}/${pullSecretName(name)}`);
    let original = before;
    let Credentials: Judgement;
    try {
      original = await refresh(registry, before === undefined ? undefined : heldBy(before), before, context);
      Credentials = well("Valid", "The credentials are in force.");
    } catch (error) {
      if (!(error instanceof CredentialError)) throw error;
      Credentials = wrong(error.reason, errorMessage(error));
      log.warn("The credentials could not be renewed; those in force stay.", { cause: error.message });
      const note = error.message;
      recorder.record(REGISTRIES, registry, {
        type: "Warning",
        reason: error.reason,
        action: "Renewing",
        note,
      });
    }
    const held = original === undefined ? undefined : heldBy(original);
    const now = clock.now();
    const expired = held?.expiresAt !== undefined && held.expiresAt <= now;
    const spread = scene.spread(registry, original);
    const Ready = guard.holds(registry)
      ? wrong("MassDeletion", guard.message)
      : original === undefined || expired
        ? wrong(expired ? "Expired" : Credentials.reason, Credentials.message)
        : judge(spread);
    await status.write(
      registry,
      { Ready, Credentials },
      {
        namespaces: { ready: spread.ready, total: spread.total },
        lastRenewed: held === undefined ? undefined : moment(held.obtainedAt),
        expiresAt: held?.expiresAt === undefined ? undefined : moment(held.expiresAt),
      },
      signal,
    );
    const due = failures.get(name)?.againAt ?? (held === undefined ? undefined : renewalTime(held));
    return due === undefined ? undefined : { requeueAfterMs: Math.max(500, due - now) };
  };

  const controller = manager
    .controller({ name: `${CONTROLLER}-originals`, reconcile })
    .watches(secrets, (secret) => (secret.metadata.namespace === home ? scene.registryOf(secret) : []));
  const sources = new SourceSecrets(manager.cache, () => {
    for (const { metadata } of registries.list()) controller.queue.add(metadata.name);
  });
  const later = (names: Iterable<string>): void => {
    for (const name of names) controller.queue.addAfter(name, STATUS_EVERY_MS);
  };
  const all = (): void => later(registries.list().map(({ metadata }) => metadata.name));
  registries.onChange(({ key, before, after }) => {
    // Our own counting in status must not wake us at once, or it would be written as fast as the server takes it.
    if (isDeclaredAnew(before, after)) controller.queue.add(key);
    else later([key]);
  });
  secrets.onChange(({ before, after }) =>
    later([before, after].flatMap((secret) => (secret === undefined ? [] : scene.registryOf(secret)))),
  );
  scene.namespaces.onChange(({ before, after }) => {
    if (before === undefined || after === undefined || before.metadata.labels !== after.metadata.labels)
      all();
  });
  scene.onForeign(all);
}

interface Failure {
  /** What was asked with: another source is asked at once. */
  source: string;
  count: number;
  againAt: number;
  error: CredentialError;
}

function nextFailure(
  before: Failure | undefined,
  source: string,
  now: number,
  error: CredentialError,
): Failure {
  const count = before?.source === source ? before.count + 1 : 0;
  const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(count, 10));
  return { source, count, againAt: now + wait, error };
}

function judge({
  ready,
  total,
  foreign,
}: {
  ready: number;
  total: number;
  foreign: readonly string[];
}): Judgement {
  if (foreign.length > 0)
    return wrong(
      "ForeignObject",
      `In ${foreign.slice(0, 5).join(", ")}${foreign.length > 5 ? " and others" : ""} there is a Secret of the same name that somebody else made, and it is left alone: delete it or rename this Registry.`,
    );
  return ready === total
    ? well("InPlace", `The pull secret is in all ${total} namespaces.`)
    : wrong("Spreading", `The pull secret is in ${ready} of ${total} namespaces.`);
}
