import { GROUP } from "../../../api";
import {
  Finalizer,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
  type StepOutcome,
} from "../../runtime";
import type { DeletionGuard } from "../deletion-guard";
import { PLUGINS, type PluginObject } from "../kinds";
import { StatusWriter, wrong } from "../status";
import { Account } from "./account";
import type { Downloader } from "./download";
import { everything, Installation, jobTarget, removalOptions, type Tools } from "./installation";
import { place, CONTROLLER } from "./placing";
import { preflight } from "./preflight";
import { PluginError, type Problem } from "./problem";
import { removeAll } from "./removal";
import { reportOf, type Findings } from "./report";
import { digestOf, superfluous, type Desired, type Revision } from "./revision";
import { readSource, recall } from "./source";

/** How often Plugins are looked at. */
export interface Pace {
  /** When all is well: what somebody changed is found and healed then. @default 60000 */
  restMs?: number;
  /** When somebody has to do something first. @default 15000 */
  blockedMs?: number;
  /** When something is under way. @default 1000 */
  busyMs?: number;
}

const NOTHING = { placed: [], unplaced: [] };

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
    const { client } = tools.workplace;
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
    if (this.#guard.goes(found)) return this.#end(found, context.signal);
    const plugin = await this.#finalizer.ensure(found, context.signal);
    const findings = await this.#work(plugin, context);
    const { judgements, fields } = reportOf(plugin, findings);
    const Ready = this.#guard.holds(plugin) ? wrong("MassDeletion", this.#guard.message) : judgements.Ready;
    this.#tell(found, judgements.Applied, fields);
    await this.#status.write(plugin, { ...judgements, Ready }, fields, context.signal);
    return { requeueAfterMs: this.#pause(findings, judgements.Ready.status === "True") };
  }

  #pause({ problem, paused }: Findings, well: boolean): number {
    const { restMs, blockedMs, busyMs } = this.#pace;
    if (paused || well) return restMs;
    if (problem === undefined) return busyMs;
    return problem.passing === true ? Math.min(5 * busyMs, blockedMs) : blockedMs;
  }

  async #work(plugin: PluginObject, context: ReconcileContext): Promise<Findings> {
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
        placement: NOTHING,
        kept: new Map(),
        problem,
        waitingFor: undefined,
        paused,
      };
    const earlier = known.filter(({ revision }) => revision < current.revision);
    const placement = await place(name, current.objects, current.namespace, discovery, signal);
    const installation = new Installation(this.#tools, plugin, account, { earlier, current }, context);
    const findings = {
      placement,
      paused,
      waitingFor: undefined,
      problem,
      current,
      revisions: [...earlier, current],
    };
    if (paused) return { ...findings, kept: await installation.look(placement) };
    if (problem !== undefined) {
      // What was installed before goes on being looked after, whatever is wrong with what is wanted next.
      const whole = current.progress.outcome === "Succeeded";
      return {
        ...findings,
        kept: whole ? (await installation.keep(placement)).kept : await installation.look(placement),
      };
    }
    const pass = await installation.advance(placement);
    const revisions = [...earlier, pass.current];
    if (pass.problem === undefined && pass.waitingFor === undefined)
      for (const old of superfluous(revisions, plugin.spec.historyLimit)) {
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

  /** The newest revision; a new one is begun if something else is wanted and nothing speaks against it. */
  async #newest(
    plugin: PluginObject,
    account: Account,
    known: readonly Revision[],
    { signal, clock }: ReconcileContext,
  ): Promise<{ current: Revision | undefined; problem: Problem | undefined }> {
    const current = known.at(-1);
    const { revisions: records, discovery } = this.#tools;
    const { rollbackTo, jobs, namespace } = plugin.spec;
    try {
      const desired =
        rollbackTo === undefined
          ? await readSource(plugin, account, this.#downloader, current, signal)
          : recall(known, rollbackTo);
      if (current !== undefined && isSame(current, desired)) return { current, problem: undefined };
      const placement = await place(
        plugin.metadata.name,
        desired.objects,
        desired.namespace,
        discovery,
        signal,
      );
      const count = rollbackTo === undefined ? jobs.before.length + jobs.after.length : 0;
      await preflight(plugin.metadata.name, placement, { namespace, count }, account, signal);
      const added = await records.add(plugin, (current?.revision ?? 0) + 1, desired, clock.now(), signal);
      return { current: added, problem: undefined };
    } catch (error) {
      if (!(error instanceof PluginError)) throw error;
      return { current, problem: error };
    }
  }

  async #end(plugin: PluginObject, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const end = await this.#finalizer.finalize(plugin, signal);
    if (end.finished) return undefined;
    const { version, revision, history, inventory, jobs } = plugin.status ?? {};
    const told = { phase: "Removing" as const, version, revision, history, inventory, jobs };
    await this.#status.write(plugin, { Ready: wrong("Removing", end.waitingFor) }, told, signal);
    return end.result;
  }

  async #removeObjects(plugin: PluginObject, signal: AbortSignal): Promise<StepOutcome> {
    if (plugin.spec.deletionPolicy === "Orphan") return "done";
    const { revisions: records, discovery, workplace } = this.#tools;
    const account = this.#account(plugin.spec.serviceAccountName);
    const revisions = await records.fresh(plugin.metadata.name, signal);
    // What status tells is enough should somebody have deleted the records.
    const told = (plugin.status?.inventory ?? []).map(({ apiVersion, kind, namespace, name }) => ({
      apiVersion,
      kind,
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    }));
    const { targets, problems } = await everything(plugin, revisions, discovery, signal, told);
    const jobs = revisions.flatMap(({ progress }) => progress.jobs).map(jobTarget);
    const left = await removeAll([...targets, ...jobs], removalOptions(plugin, account, workplace), signal);
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
    const { workplace } = this.#tools;
    const known =
      this.#accounts.get(name) ?? new Account(workplace, { namespace: workplace.namespace, name });
    this.#accounts.set(name, known);
    return known;
  }

  /** Records what people want to know when it happens. */
  #tell(
    before: PluginObject,
    applied: { status: string; reason: string; message: string },
    after: { version?: string | undefined; revision?: number | undefined },
  ): void {
    const { recorder } = this.#tools.workplace;
    const last = before.status?.conditions?.find(({ type }) => type === "Applied");
    const note = applied.message;
    if (applied.status === "True" && after.revision !== before.status?.revision)
      recorder.record(PLUGINS, before, { type: "Normal", reason: "Applied", action: "Install", note });
    else if (applied.status === "False" && applied.reason !== "Applying" && last?.reason !== applied.reason)
      recorder.record(PLUGINS, before, { type: "Warning", reason: applied.reason, action: "Install", note });
  }
}

function isSame(current: Revision, desired: Desired): boolean {
  return (
    current.version === desired.version &&
    current.namespace === desired.namespace &&
    current.digest === digestOf(desired.objects)
  );
}
