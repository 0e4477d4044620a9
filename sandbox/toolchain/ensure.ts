import { realpath } from "node:fs/promises";
import { errorMessage, ExitCode, Failure } from "../failure";
import { type Progress, silentProgress } from "../progress";
import { buildTool } from "./build";
import { explainDisk, recipeKey, removeTree, ToolCache } from "./cache";
import { fetchDownload, Unreachable, unpack } from "./download";
import { findInstalled, type Installed } from "./installed";
import { withLock } from "./lock";
import { requirePrerequisites } from "./prerequisites";
import { type Platform, type Tool, TOOL_NAMES, type ToolName, TOOLS } from "./tools";

/** A tool that can be run. */
export interface ReadyTool {
  name: string;
  version: string;
  path: string;
  /** Where it came from: it was installed, was made in an earlier run, or was downloaded or built in this one. */
  origin: "installed" | "cache" | "download" | "build";
}

/** What {@link ensureTools} can be told. */
export interface EnsureOptions {
  progress?: Progress;
  signal?: AbortSignal;
  cache?: ToolCache;
  env?: NodeJS.ProcessEnv;
  /** The table to look in; tests give their own. */
  table?: Readonly<Record<string, Tool>>;
  goFolder?: string;
}

/** Gives every named tool, making those that are neither installed nor in the cache. */
export async function ensureTools<Name extends ToolName>(
  names: readonly Name[],
  options: EnsureOptions = {},
): Promise<Record<Name, ReadyTool>> {
  return ensureFromTable(names, options.table ?? TOOLS, options);
}

/** As {@link ensureTools}, for any table. */
export async function ensureFromTable<Name extends string>(
  names: readonly Name[],
  table: Readonly<Record<string, Tool>>,
  options: EnsureOptions = {},
): Promise<Record<Name, ReadyTool>> {
  const { progress = silentProgress, cache = new ToolCache(), env = process.env, goFolder } = options;
  const rows = names.map((name) => [name, row(table, name)] as const);
  const ready = new Map<string, ReadyTool>();
  const installed = new Map<string, Installed>();
  const missing: { name: Name; tool: Tool; key: string }[] = [];
  const ours = [cache.root, await realpath(cache.root).catch(() => cache.root)];
  for (const [name, tool] of withNeighbours(rows, table)) {
    const found = await findInstalled(name, tool, installed, env, ours);
    if (found !== undefined) {
      installed.set(name, found);
      ready.set(name, { name, ...found, origin: "installed" });
    }
  }
  for (const [name, tool] of rows) {
    if (ready.has(name)) continue;
    const key = await recipeKey(tool, goFolder);
    const cached = await cache.find(name, key);
    if (cached === undefined) missing.push({ name, tool, key });
    else ready.set(name, { name, path: cached.path, version: tool.version, origin: "cache" });
  }
  if (missing.length > 0) {
    const maker = new Maker(
      cache,
      options,
      missing.map(({ tool }) => tool),
    );
    try {
      for (const [index, { name, tool, key }] of missing.entries()) {
        if (options.signal?.aborted === true) throw new Failure("Interrupted.", ExitCode.interrupted);
        const title = `${name} ${tool.version} (${index + 1} of ${missing.length})`;
        ready.set(name, await progress.step(title, (update) => maker.make(name, tool, key, update)));
      }
    } finally {
      await maker.close();
    }
  }
  const result: Partial<Record<Name, ReadyTool>> = {};
  for (const name of names) {
    const tool = ready.get(name);
    if (tool === undefined) throw new Error(`${name} was neither found nor made`);
    result[name] = tool;
  }
  return result as Record<Name, ReadyTool>;
}

function row(table: Readonly<Record<string, Tool>>, name: string): Tool {
  const tool = Object.hasOwn(table, name) ? table[name] : undefined;
  if (tool === undefined) {
    throw new Failure(
      `There is no tool "${name}" in the table. The tools are ${(table === TOOLS ? TOOL_NAMES : Object.keys(table)).join(", ")}.`,
      ExitCode.usage,
    );
  }
  return tool;
}

/** The wanted rows, each after the tool it is recognised by, if that is only beside something that was not asked for. */
function withNeighbours(
  rows: readonly (readonly [string, Tool])[],
  table: Readonly<Record<string, Tool>>,
): Map<string, Tool> {
  const all = new Map<string, Tool>();
  for (const [name, tool] of rows) {
    if (tool.recognise.by === "beside" && !all.has(tool.recognise.tool)) {
      all.set(tool.recognise.tool, row(table, tool.recognise.tool));
    }
    all.set(name, tool);
  }
  return all;
}

/** Downloads or builds tools, one after another. */
class Maker {
  /** Sites that did not answer are not tried again in this run. */
  private readonly silentHosts = new Map<string, string>();
  /** An archive that holds several tools is fetched once. */
  private readonly fetched = new Map<string, Promise<string>>();
  private readonly folders: string[] = [];
  private prerequisitesChecked = false;

  constructor(
    private readonly cache: ToolCache,
    private readonly options: EnsureOptions,
    private readonly wanted: readonly Tool[],
  ) {}

  async make(name: string, tool: Tool, key: string, update: (detail: string) => void): Promise<ReadyTool> {
    try {
      return await withLock(
        this.cache.lockFile(name),
        () => this.makeLocked(name, tool, key, update),
        (holder) =>
          update(`waiting for process ${holder === "" ? "of another run" : holder}, which is making it`),
      );
    } catch (error) {
      throw explainDisk(error, this.cache.root);
    }
  }

  private async makeLocked(
    name: string,
    tool: Tool,
    key: string,
    update: (detail: string) => void,
  ): Promise<ReadyTool> {
    const finished = await this.cache.find(name, key);
    if (finished !== undefined) {
      update("made by another run");
      return { name, version: tool.version, path: finished.path, origin: "cache" };
    }
    await this.cache.sweep(name);
    const folder = await this.cache.workFolder(name);
    try {
      const downloaded = await this.download(tool, folder, update);
      const origin = downloaded === undefined ? "build" : "download";
      const program = downloaded ?? (await this.build(name, tool, folder, update));
      await this.cache.install(name, key, program, { origin, version: tool.version });
      update(origin === "build" ? "built" : "downloaded");
      const installed = await this.cache.find(name, key);
      if (installed === undefined) throw new Error(`${name} is not in the cache after it was put there`);
      return { name, version: tool.version, path: installed.path, origin };
    } finally {
      await removeTree(folder);
    }
  }

  /** The program from its official download, or undefined if there is none to be had. */
  private async download(
    tool: Tool,
    folder: string,
    update: (detail: string) => void,
  ): Promise<string | undefined> {
    const env = this.options.env ?? process.env;
    const here = platform();
    const download = here === undefined ? undefined : tool.download[here];
    if (download === undefined || env.FLEETWRIGHT_TOOLS_DOWNLOAD === "off") return undefined;
    const { host } = new URL(download.url);
    if (this.silentHosts.has(host)) return undefined;
    update(`asking ${host}`);
    try {
      let archive = this.fetched.get(download.url);
      if (archive === undefined) {
        const own = await this.cache.workFolder("download");
        this.folders.push(own);
        archive = fetchDownload(download, own, (detail) => update(`downloading, ${detail}`));
        this.fetched.set(download.url, archive);
      }
      return await unpack(download, await archive, folder);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      this.silentHosts.set(host, errorMessage(error));
      return undefined;
    }
  }

  private async build(
    name: string,
    tool: Tool,
    folder: string,
    update: (detail: string) => void,
  ): Promise<string> {
    const { signal, goFolder, env } = this.options;
    if (!this.prerequisitesChecked) {
      await requirePrerequisites({ builds: this.wanted, ...(goFolder === undefined ? {} : { goFolder }) });
      this.prerequisitesChecked = true;
    }
    update("building");
    return buildTool(name, tool, {
      folder,
      log: this.cache.logFile(name),
      onProgress: (detail) => update(`building, ${detail}`),
      ...(signal === undefined ? {} : { signal }),
      ...(goFolder === undefined ? {} : { goFolder }),
      ...(env === undefined ? {} : { env }),
    });
  }

  /** Removes the archives of this run. */
  async close(): Promise<void> {
    await Promise.all(this.folders.map((folder) => removeTree(folder)));
  }
}

/** The platform that downloads are looked up for; undefined where everything is built. */
export function platform(): Platform | undefined {
  if (process.platform !== "linux") return undefined;
  return process.arch === "x64" ? "linux-x64" : process.arch === "arm64" ? "linux-arm64" : undefined;
}
