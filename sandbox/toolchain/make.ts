/** Makes tools that are missing: downloads them where their site answers, and builds the others from their Go modules. */
import { ExitCode, Failure } from "../../lib/failure";
import { silentProgress } from "../../lib/progress";
import { buildTools, fetchModules, type BuildContext } from "./build";
import { type BuildJob, buildJobs, describeJob, minutesOf, type MissingTool } from "./build-jobs";
import { type BuildLimits, buildLimits, thisMachine } from "./build-limits";
import { explainDisk, removeTree, type ToolCache } from "./cache";
import { fetchDownload, isReachable, Unreachable, unpack } from "./download";
import type { EnsureOptions, ReadyTool } from "./ensure";
import { withLocks } from "./lock";
import { requirePrerequisites } from "./prerequisites";
import { runSchedule } from "./schedule";
import type { Download, Platform, Tool } from "./tools";

/**
 * Makes tools, several at once: while one build compiles, another links and the modules of the next are fetched. The
 * first failure stops the others.
 */
export async function makeTools(
  missing: readonly MissingTool[],
  cache: ToolCache,
  options: EnsureOptions,
): Promise<ReadyTool[]> {
  if (missing.length === 0) return [];
  const { progress = silentProgress } = options;
  const jobs = buildJobs(missing);
  const limits = buildLimits(thisMachine());
  const made: ReadyTool[] = [];
  const stop = new AbortController();
  const maker = new Maker(cache, options, jobs, limits);
  const interrupt = (): void => stop.abort();
  options.signal?.addEventListener("abort", interrupt, { once: true });
  if (options.signal?.aborted === true) stop.abort();
  const fetching = maker.fetchAllModules(stop.signal);
  let begun = 0;
  try {
    await runSchedule(jobs, { slots: limits.builds, weight: minutesOf }, async (job, failed) => {
      if (stop.signal.aborted) throw new Failure("Interrupted.", ExitCode.interrupted);
      begun += 1;
      const title = `${describeJob(job)} (${begun} of ${jobs.length})`;
      const signal = AbortSignal.any([stop.signal, failed]);
      made.push(...(await progress.step(title, (update) => maker.make(job, update, signal))));
    });
  } finally {
    stop.abort();
    options.signal?.removeEventListener("abort", interrupt);
    await fetching;
    await maker.close();
  }
  return made;
}

class Maker {
  /** Whether a site answers; those that do not are not tried again in this run. */
  readonly #sites = new Map<string, Promise<boolean>>();
  /** An archive that holds several tools is fetched once. */
  readonly #fetched = new Map<string, Promise<string>>();
  readonly #folders: string[] = [];
  #prerequisites: Promise<void> | undefined;

  constructor(
    private readonly cache: ToolCache,
    private readonly options: EnsureOptions,
    private readonly jobs: readonly BuildJob[],
    private readonly limits: BuildLimits,
  ) {}

  /** Makes the tools of a job while no other run makes one of them. */
  async make(job: BuildJob, update: (detail: string) => void, signal: AbortSignal): Promise<ReadyTool[]> {
    try {
      return await withLocks(
        job.tools.map(({ name }) => this.cache.lockFile(name)),
        () => this.#makeLocked(job, update, signal),
        (holder) =>
          update(`waiting for process ${holder === "" ? "of another run" : holder}, which is making it`),
        signal,
      );
    } catch (error) {
      throw explainDisk(error, this.cache.root);
    }
  }

  async #makeLocked(
    job: BuildJob,
    update: (detail: string) => void,
    signal: AbortSignal,
  ): Promise<ReadyTool[]> {
    const made: ReadyTool[] = [];
    const left: MissingTool[] = [];
    for (const each of job.tools) {
      const finished = await this.cache.find(each.name, each.key);
      if (finished === undefined) left.push(each);
      else made.push(readyTool(each, finished.path, "cache"));
    }
    if (left.length === 0) {
      update("made by another run");
      return made;
    }
    for (const { name } of left) await this.cache.sweep(name);
    const folder = await this.cache.workFolder(job.tools[0].name);
    try {
      const toBuild: MissingTool[] = [];
      for (const each of left) {
        const program = await this.#download(each.tool, folder, update);
        if (program === undefined) toBuild.push(each);
        else made.push(await this.#install(each, program, "download"));
      }
      const [first, ...others] = toBuild;
      if (first === undefined) {
        update("downloaded");
        return made;
      }
      await (this.#prerequisites ??= this.#checkPrerequisites());
      update("building");
      const programs = await buildTools(
        { ...job, tools: [first, ...others] },
        folder,
        this.#context(job, signal, (detail) => update(`building, ${detail}`)),
      );
      update("storing");
      for (const each of toBuild) {
        const program = programs.get(each.name);
        if (program === undefined) throw new Error(`the build of ${each.name} gave no program`);
        made.push(await this.#install(each, program, "build"));
      }
      update("built");
      return made;
    } finally {
      await removeTree(folder);
    }
  }

  async #install(
    { name, tool, key }: MissingTool,
    program: string,
    origin: "build" | "download",
  ): Promise<ReadyTool> {
    await this.cache.install(name, key, program, { origin, version: tool.version });
    const installed = await this.cache.find(name, key);
    if (installed === undefined) throw new Error(`${name} is not in the cache after it was put there`);
    return readyTool({ name, tool }, installed.path, origin);
  }

  /**
   * Fetches the Go modules of the jobs, one after another, beside the builds. What goes wrong here goes wrong again in
   * the build, which then explains it.
   */
  async fetchAllModules(signal: AbortSignal): Promise<void> {
    for (const job of this.jobs) {
      if (signal.aborted) return;
      const downloads = await Promise.all(job.tools.map(({ tool }) => this.#reachableDownload(tool)));
      if (downloads.every((download) => download !== undefined)) continue;
      await fetchModules(
        job,
        this.#context(job, signal, () => {}),
      ).catch(() => {});
    }
  }

  #context(job: BuildJob, signal: AbortSignal, onProgress: (detail: string) => void): BuildContext {
    const { goFolder, env } = this.options;
    return {
      log: this.cache.logFile(job.tools[0].name),
      limits: this.limits,
      signal,
      onProgress,
      ...(goFolder === undefined ? {} : { goFolder }),
      ...(env === undefined ? {} : { env }),
    };
  }

  #checkPrerequisites(): Promise<void> {
    const { goFolder } = this.options;
    const builds = this.jobs.flatMap(({ tools }) => tools.map(({ tool }) => tool));
    return requirePrerequisites({ builds, ...(goFolder === undefined ? {} : { goFolder }) });
  }

  /** The official download of a tool, unless there is none or its site does not answer. */
  async #reachableDownload(tool: Tool): Promise<Download | undefined> {
    const env = this.options.env ?? process.env;
    const here = platform();
    const download = here === undefined ? undefined : tool.download[here];
    if (download === undefined || env.FLEETWRIGHT_TOOLS_DOWNLOAD === "off") return undefined;
    const { host } = new URL(download.url);
    let site = this.#sites.get(host);
    if (site === undefined) {
      site = isReachable(download.url);
      this.#sites.set(host, site);
    }
    return (await site) ? download : undefined;
  }

  /** The program from its official download, or undefined if it cannot be had. */
  async #download(tool: Tool, folder: string, update: (detail: string) => void): Promise<string | undefined> {
    const download = await this.#reachableDownload(tool);
    if (download === undefined) return undefined;
    try {
      // Kept before anything is awaited: tools of one archive are made at the same time, and it is fetched once.
      const archive = this.#fetched.get(download.url) ?? this.#fetch(download, update);
      this.#fetched.set(download.url, archive);
      return await unpack(download, await archive, folder);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.#sites.set(new URL(download.url).host, Promise.resolve(false));
      return undefined;
    }
  }

  async #fetch(download: Download, update: (detail: string) => void): Promise<string> {
    const folder = await this.cache.workFolder("download");
    this.#folders.push(folder);
    return fetchDownload(download, folder, (detail) => update(`downloading, ${detail}`));
  }

  /** Removes the archives of this run. */
  async close(): Promise<void> {
    await Promise.all(this.#folders.map((folder) => removeTree(folder)));
  }
}

function readyTool(
  { name, tool }: Pick<MissingTool, "name" | "tool">,
  path: string,
  origin: ReadyTool["origin"],
): ReadyTool {
  return { name, version: tool.version, path, origin };
}

/** The platform that downloads are looked up for; undefined where everything is built. */
export function platform(): Platform | undefined {
  if (process.platform !== "linux") return undefined;
  return process.arch === "x64" ? "linux-x64" : process.arch === "arm64" ? "linux-arm64" : undefined;
}
