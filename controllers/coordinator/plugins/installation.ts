import type { Discovery, ReconcileContext } from "../../runtime";
import type { PluginObject } from "../kinds";
import type { ControllerContext } from "../controller-context";
import type { Account, Kept } from "./account";
import { healthOf } from "../../workload";
import { isCurrent, JOBS, runJobs, type JobsOutcome, type When } from "./job";
import type { Manifest } from "./manifest";
import { CRD_RANK, inOrder, rankOf } from "./install-order";
import { mapManifests, type MappedManifest, type RestMapping } from "./rest-mapping";
import type { InstallFailure } from "./install-error";
import { ALLOW_DATA_LOSS, removeAll } from "./removal";
import type { JobRecord, Progress, Revision, Revisions } from "./revision";

/** What came of a pass over a revision. */
export interface Pass {
  kept: Map<string, Kept>;
  current: Revision;
  problem?: InstallFailure;
  waitingFor?: string;
}

/** What is needed to carry out a revision. */
export interface Tools {
  context: ControllerContext;
  discovery: Discovery;
  revisions: Revisions;
}

/** Brings the cluster to the newest revision of one Plugin, as far as one pass can. */
export class Installation {
  readonly #tools: Tools;
  readonly #plugin: PluginObject;
  readonly #account: Account;
  readonly #context: ReconcileContext;
  readonly #earlier: readonly Revision[];
  #current: Revision;

  constructor(
    tools: Tools,
    plugin: PluginObject,
    account: Account,
    revisions: { earlier: readonly Revision[]; current: Revision },
    context: ReconcileContext,
  ) {
    this.#tools = tools;
    this.#plugin = plugin;
    this.#account = account;
    this.#earlier = revisions.earlier;
    this.#current = revisions.current;
    this.#context = context;
  }

  /** Looks at all objects and changes nothing. */
  async inspect({ mapped }: RestMapping): Promise<Map<string, Kept>> {
    const kept = new Map<string, Kept>();
    for (const one of mapped)
      kept.set(one.id, await this.#account.inspect(this.#name, one, this.#context.signal));
    return kept;
  }

  /** Keeps all objects as they are wanted, in order; what follows definitions waits until those are served. */
  async ensureObjects({ mapped }: RestMapping): Promise<{ kept: Map<string, Kept>; waitingFor?: string }> {
    const kept = new Map<string, Kept>();
    const ordered = inOrder(
      mapped.map((one) => ({ ...one, apiVersion: one.manifest.apiVersion, kind: one.manifest.kind })),
    );
    for (const group of ordered) {
      for (const one of group)
        kept.set(one.id, await this.#account.keep(this.#name, one, this.#context.signal));
      const isDefinitions = group[0] !== undefined && rankOf(group[0]) === CRD_RANK;
      const late = isDefinitions ? group.filter(({ id }) => !isEstablished(kept.get(id))) : [];
      if (late[0] !== undefined)
        return { kept, waitingFor: `the definition ${late[0].manifest.metadata.name} to be established` };
    }
    return { kept };
  }

  /** Everything that a revision takes: jobs before, objects, jobs after, and what it no longer has. */
  async advance(mapping: RestMapping): Promise<Pass> {
    const none = new Map<string, Kept>();
    const before = await this.#jobs("Before");
    if (before !== "done") return this.#stopped(none, before);
    const { kept, waitingFor } = await this.ensureObjects(mapping);
    if (waitingFor !== undefined) return this.#stopped(kept, { waitingFor });
    const problems = [...kept.values(), ...mapping.unmapped].flatMap(({ problem }) =>
      problem === undefined ? [] : [problem],
    );
    const [first] = problems;
    if (first !== undefined) return this.#stopped(kept, { problem: joined(problems, first) });
    const after = await this.#jobs("After");
    if (after !== "done") return this.#stopped(kept, after);
    if (this.#current.progress.outcome !== "Succeeded") {
      const left = await this.#prune(mapping);
      if (left !== undefined) return this.#stopped(kept, left);
      await this.#note({ ...this.#current.progress, outcome: "Succeeded" });
    }
    return { kept, current: this.#current };
  }

  get #name(): string {
    return this.#plugin.metadata.name;
  }

  async #stopped(kept: Map<string, Kept>, why: Exclude<JobsOutcome, "done">): Promise<Pass> {
    if ("waitingFor" in why) return { kept, current: this.#current, waitingFor: why.waitingFor };
    if (why.problem.reason === "JobFailed")
      await this.#note({ ...this.#current.progress, outcome: "Failed" });
    return { kept, current: this.#current, problem: why.problem };
  }

  // Going back runs no jobs: those of that version ran when it was installed.
  async #jobs(when: When): Promise<JobsOutcome> {
    if (this.#plugin.spec.rollbackTo !== undefined) return "done";
    const jobContext = {
      plugin: this.#plugin,
      account: this.#account,
      revisions: [...this.#earlier, this.#current],
      note: async (record: JobRecord): Promise<void> => {
        const { progress } = this.#current;
        const others = progress.jobs.filter(
          ({ when: other, name, version, attempt }) =>
            other !== record.when ||
            name !== record.name ||
            version !== record.version ||
            attempt !== record.attempt,
        );
        await this.#note({ ...progress, jobs: [...others, record] });
      },
    };
    return runJobs(when, jobContext, this.#context);
  }

  async #note(progress: Progress): Promise<void> {
    this.#current = await this.#tools.revisions.note(this.#current, progress, this.#context.signal);
  }

  /** Removes what earlier revisions had and this one does not. */
  async #prune({ mapped }: RestMapping): Promise<Exclude<JobsOutcome, "done"> | undefined> {
    const ids = new Set(mapped.map(({ id }) => id));
    const { targets, problems } = await allObjects(
      this.#plugin,
      this.#earlier,
      this.#tools.discovery,
      this.#context.signal,
    );
    const old = targets.filter(({ id }) => !ids.has(id));
    const jobs = [...this.#earlier, this.#current]
      .flatMap(({ progress }) => progress.jobs)
      .filter((record) => !isCurrent(this.#plugin, record))
      .map(jobTarget);
    const left = await removeAll(
      [...old, ...jobs],
      removalOptions(this.#plugin, this.#account, this.#tools.context),
      this.#context.signal,
    );
    const [first] = [...left.problems, ...problems];
    if (first !== undefined) return { problem: joined([...left.problems, ...problems], first) };
    return left.waitingFor.length === 0 ? undefined : { waitingFor: `${left.waitingFor.join(", ")} to go` };
  }
}

/** How the objects of a Plugin are removed. */
export function removalOptions(
  { metadata }: PluginObject,
  account: Account,
  { manager }: ControllerContext,
): Parameters<typeof removeAll>[1] {
  const allowDataLoss = metadata.annotations?.[ALLOW_DATA_LOSS] === "true";
  return { plugin: metadata.name, account, coordinator: manager.reader, allowDataLoss };
}

/** Every object that revisions ever had, mapped; of a kind that is gone there are none any more. */
export async function allObjects(
  { metadata, spec }: PluginObject,
  revisions: readonly Revision[],
  discovery: Discovery,
  signal: AbortSignal,
  more: readonly Manifest[] = [],
): Promise<{ targets: MappedManifest[]; problems: InstallFailure[] }> {
  const targets = new Map<string, MappedManifest>();
  const problems = new Map<string, InstallFailure>();
  const all = [...revisions, { objects: [...more], namespace: spec.namespace }];
  for (const { objects, namespace } of all) {
    const { mapped, unmapped } = await mapManifests(metadata.name, objects, namespace, discovery, signal);
    for (const one of mapped) targets.set(one.id, one);
    for (const { problem } of unmapped)
      if (problem.transient === true) problems.set(problem.message, problem);
  }
  return { targets: [...targets.values()], problems: [...problems.values()] };
}

/** The Job of a record, as something that can be removed. */
export function jobTarget({ job }: JobRecord): MappedManifest {
  const [namespace = "", name = ""] = job.split("/");
  const manifest = { apiVersion: "batch/v1", kind: "Job", metadata: { namespace, name } };
  return { manifest, resource: JOBS, id: `Job.batch ${job}` };
}

function isEstablished(found: Kept | undefined): boolean {
  // One that could not be created is reported as a failure; only one in progress is waited for.
  if (found?.live === undefined) return found?.problem !== undefined;
  return (
    healthOf({ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", ...found.live })
      .health !== "Progressing"
  );
}

function joined(problems: readonly InstallFailure[], first: InstallFailure): InstallFailure {
  const transient = problems.every((problem) => problem.transient === true);
  const worst = problems.find((problem) => problem.transient !== true) ?? first;
  const list = problems.slice(0, 5).map(({ message }) => message);
  const more = problems.length > 5 ? ` And ${problems.length - 5} more.` : "";
  return { reason: worst.reason, message: list.join(" ") + more, transient };
}
