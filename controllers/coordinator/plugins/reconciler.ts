// Reconciles Plugins: reads the source, installs, keeps, upgrades and removes.
import { GROUP } from "../../../api";
import {
  Finalizer,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
  type StepOutcome,
} from "../../runtime";
import { MASS_DELETION, type DeletionGuard } from "../../app/deletion-guard";
import { PLUGINS, type PluginObject } from "../kinds";
import { StatusWriter, conditionFalse } from "../../app/status";
import { Account } from "./account";
import type { Downloader } from "./download";
import { allObjects, Installation, jobTarget, removalOptions, type Tools } from "./installation";
import { mapManifests, CONTROLLER } from "./rest-mapping";
import { expiredRevisions, isInstalled, requeueDelay, type Pace } from "./plan";
import { preflight } from "./preflight";
import { InstallError, type InstallFailure } from "./install-error";
import { removeAll } from "./removal";
import { statusOf, type Findings } from "./status";
import type { Revision } from "./revision";
import { readSource, recall } from "./source";

const NOTHING = { mapped: [], unmapped: [] };

/** Installs, upgrades, heals and removes Plugins. */
export class PluginReconciler {
  readonly #tools: Tools;
  readonly #plugins: Informer<PluginObject>;
  readonly #guard: DeletionGuard<PluginObject>;
  readonly #downloader: Downloader;
  readonly #pace: Required<Pace>;
  readonly #status;
  readonly #finalizer: Finalizer<PluginObject>;
  readonly #accounts = new Map<string, Account>();

  constructor(
    tools: Tools,
    plugins: Informer<PluginObject>,
    guard: DeletionGuard<PluginObject>,
    downloader: Downloader,
    pace: Pace,
  ) {
    const { client } = tools.context;
    this.#tools = tools;
    this.#plugins = plugins;
    this.#guard = guard;
    this.#downloader = downloader;
    this.#pace = { restMs: 60_000, blockedMs: 15_000, busyMs: 1000, ...pace };
    this.#status = new StatusWriter(client, PLUGINS, CONTROLLER);
    this.#finalizer = new Finalizer(client, PLUGINS, `${GROUP}/${CONTROLLER}`, [
      { name: "objects", run: (plugin, signal) => this.#removeObjects(plugin, signal) },
      { name: "records", run: (plugin, signal) => this.#removeRecords(plugin, signal) },
    ]);
  }

  async reconcile(name: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const found = this.#plugins.get(name);
    if (found === undefined) {
      this.#status.forget(name);
      return undefined;
    }
    if (this.#guard.confirmsDeletion(found)) return this.#remove(found, context.signal);
    const plugin = await this.#finalizer.ensure(found, context.signal);
    const findings = await this.#install(plugin, context);
    const { conditions, fields } = statusOf(plugin, findings);
    const Ready = this.#guard.holdsBack(plugin)
      ? conditionFalse(MASS_DELETION, this.#guard.message)
      : conditions.Ready;
    this.#recordEvents(found, conditions.Applied, fields);
    await this.#status.write(plugin, { ...conditions, Ready }, fields, context.signal);
    return { requeueAfterMs: requeueDelay(findings, conditions.Ready.status === "True", this.#pace) };
  }

  async #install(plugin: PluginObject, context: ReconcileContext): Promise<Findings> {
    const { name } = plugin.metadata;
    const { revisions: records, discovery } = this.#tools;
    const { signal } = context;
    const account = this.#account(plugin.spec.serviceAccountName);
    const known = records.of(name);
    const { paused } = plugin.spec;
    const { current, problem } = paused
      ? { current: known.at(-1), problem: undefined }
      : await this.#newest(plugin, account, known, context);
    if (current === undefined)
      return {
        revisions: [],
        current,
        mapping: NOTHING,
        kept: new Map(),
        problem,
        waitingFor: undefined,
        paused,
      };
    const earlier = known.filter(({ revision }) => revision < current.revision);
    const mapping = await mapManifests(name, current.objects, current.namespace, discovery, signal);
    const installation = new Installation(this.#tools, plugin, account, { earlier, current }, context);
    const findings = {
      mapping,
      paused,
      waitingFor: undefined,
      problem,
      current,
      revisions: [...earlier, current],
    };
    if (paused) return { ...findings, kept: await installation.inspect(mapping) };
    if (problem !== undefined) {
      // What is installed is kept, whatever is wrong with the version that is wanted next.
      const whole = current.progress.outcome === "Succeeded";
      return {
        ...findings,
        kept: whole ? (await installation.ensureObjects(mapping)).kept : await installation.inspect(mapping),
      };
    }
    const pass = await installation.advance(mapping);
    const revisions = [...earlier, pass.current];
    if (pass.problem === undefined && pass.waitingFor === undefined)
      for (const old of expiredRevisions(revisions, plugin.spec.historyLimit)) {
        await records.drop(old, signal);
        revisions.splice(revisions.indexOf(old), 1);
      }
    return {
      ...findings,
      revisions,
      current: pass.current,
      kept: pass.kept,
      problem: pass.problem,
      waitingFor: pass.waitingFor,
    };
  }

  /** The newest revision; a new one is added if something else is wanted and preflight passes. */
  async #newest(
    plugin: PluginObject,
    account: Account,
    known: readonly Revision[],
    { signal, clock }: ReconcileContext,
  ): Promise<{ current: Revision | undefined; problem: InstallFailure | undefined }> {
    const current = known.at(-1);
    const { revisions: records, discovery } = this.#tools;
    const { rollbackTo, jobs, namespace } = plugin.spec;
    try {
      const desired =
        rollbackTo === undefined
          ? await readSource(plugin, account, this.#downloader, current, signal)
          : recall(known, rollbackTo);
      if (current !== undefined && isInstalled(current, desired)) return { current, problem: undefined };
      const mapping = await mapManifests(
        plugin.metadata.name,
        desired.objects,
        desired.namespace,
        discovery,
        signal,
      );
      const count = rollbackTo === undefined ? jobs.before.length + jobs.after.length : 0;
      await preflight(plugin.metadata.name, mapping, { namespace, count }, account, signal);
      const added = await records.add(plugin, (current?.revision ?? 0) + 1, desired, clock.now(), signal);
      return { current: added, problem: undefined };
    } catch (error) {
      if (!(error instanceof InstallError)) throw error;
      return { current, problem: error };
    }
  }

  async #remove(plugin: PluginObject, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const end = await this.#finalizer.finalize(plugin, signal);
    if (end.finished) return undefined;
    const { version, revision, history, inventory, jobs } = plugin.status ?? {};
    const fields = { phase: "Removing" as const, version, revision, history, inventory, jobs };
    await this.#status.write(plugin, { Ready: conditionFalse("Removing", end.waitingFor) }, fields, signal);
    return end.result;
  }

  async #removeObjects(plugin: PluginObject, signal: AbortSignal): Promise<StepOutcome> {
    if (plugin.spec.deletionPolicy === "Orphan") return "done";
    const { revisions: records, discovery, context } = this.#tools;
    const account = this.#account(plugin.spec.serviceAccountName);
    const revisions = await records.fresh(plugin.metadata.name, signal);
    // The inventory in status is enough should somebody have deleted the records.
    const inventory = (plugin.status?.inventory ?? []).map(({ apiVersion, kind, namespace, name }) => ({
      apiVersion,
      kind,
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    }));
    const { targets, problems } = await allObjects(plugin, revisions, discovery, signal, inventory);
    const jobs = revisions.flatMap(({ progress }) => progress.jobs).map(jobTarget);
    const left = await removeAll([...targets, ...jobs], removalOptions(plugin, account, context), signal);
    const stuck = [...left.problems, ...problems];
    if (stuck.length > 0)
      return {
        waitingFor: stuck.map(({ message }) => message).join(" "),
        againAfterMs: this.#pace.blockedMs,
      };
    if (left.waitingFor.length === 0) return "done";
    return { waitingFor: `${left.waitingFor.join(", ")} to go.`, againAfterMs: this.#pace.busyMs };
  }

  async #removeRecords(plugin: PluginObject, signal: AbortSignal): Promise<StepOutcome> {
    const { revisions: records } = this.#tools;
    for (const revision of await records.fresh(plugin.metadata.name, signal))
      await records.drop(revision, signal);
    return "done";
  }

  #account(name: string): Account {
    const { context } = this.#tools;
    const known = this.#accounts.get(name) ?? new Account(context, { namespace: context.namespace, name });
    this.#accounts.set(name, known);
    return known;
  }

  /** Records an event when a revision was applied or cannot be. */
  #recordEvents(
    before: PluginObject,
    applied: { status: string; reason: string; message: string },
    after: { version?: string | undefined; revision?: number | undefined },
  ): void {
    const { recorder } = this.#tools.context;
    const last = before.status?.conditions?.find(({ type }) => type === "Applied");
    const note = applied.message;
    if (applied.status === "True" && after.revision !== before.status?.revision)
      recorder.record(PLUGINS, before, { type: "Normal", reason: "Applied", action: "Install", note });
    else if (applied.status === "False" && applied.reason !== "Applying" && last?.reason !== applied.reason)
      recorder.record(PLUGINS, before, { type: "Warning", reason: applied.reason, action: "Install", note });
  }
}
