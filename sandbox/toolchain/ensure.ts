import { realpath } from "node:fs/promises";
import { ExitCode, Failure } from "../../lib/failure";
import type { Progress } from "../../lib/progress";
import { buildJobs, describeJob, gigabytesOf, minutesOf, type MissingTool } from "./build-jobs";
import { recipeKey, ToolCache } from "./cache";
import { findInstalled, type Installed } from "./installed";
import { makeTools } from "./make";
import { type Tool, TOOL_NAMES, type ToolName, TOOLS } from "./tools";

/** A tool that can be run. */
export interface ReadyTool {
  name: string;
  version: string;
  path: string;
  /** Where it came from: it was installed, was made in an earlier run, or was downloaded or built in this one. */
  origin: "installed" | "cache" | "download" | "build";
}

/** Options of {@link ensureTools}. */
export interface EnsureOptions {
  progress?: Progress;
  signal?: AbortSignal;
  cache?: ToolCache;
  env?: NodeJS.ProcessEnv;
  /** The table to look in; tests give their own. */
  table?: Readonly<Record<string, Tool>>;
  goFolder?: string;
}

/** Finds every named tool, and makes those that are neither installed nor in the cache. */
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
  const cache = options.cache ?? new ToolCache();
  const { ready, missing } = await findTools(names, table, { ...options, cache });
  for (const tool of await makeTools(missing, cache, options)) ready.set(tool.name, tool);
  const result: Partial<Record<Name, ReadyTool>> = {};
  for (const name of names) {
    const tool = ready.get(name);
    if (tool === undefined) throw new Error(`${name} was neither found nor made`);
    result[name] = tool;
  }
  return result as Record<Name, ReadyTool>;
}

/** A step of {@link ensureTools} that makes one or more tools. */
export interface ToolStep {
  /** The tools and their version. */
  title: string;
  tools: readonly string[];
  /** Processor minutes if it is built from source. */
  minutes: number;
  /** Disk space if it is built from source, Go's caches included. */
  gigabytes: number;
  /** Whether it can be downloaded instead, as far as the sites can be reached. */
  downloadable: boolean;
}

/** The steps that {@link ensureTools} would take, one for each step that it shows. Only looks. */
export async function planTools(
  names: readonly ToolName[],
  options: EnsureOptions = {},
): Promise<ToolStep[]> {
  const cache = options.cache ?? new ToolCache();
  const { missing } = await findTools(names, options.table ?? TOOLS, { ...options, cache });
  return buildJobs(missing).map((job) => ({
    title: describeJob(job),
    tools: job.tools.map(({ name }) => name),
    minutes: minutesOf(job),
    gigabytes: gigabytesOf(job),
    downloadable: job.tools.every(({ tool }) => Object.keys(tool.download).length > 0),
  }));
}

/** Sorts tools into those that are there and those that have to be made. */
async function findTools(
  names: readonly string[],
  table: Readonly<Record<string, Tool>>,
  { cache, env = process.env, goFolder }: EnsureOptions & { cache: ToolCache },
): Promise<{ ready: Map<string, ReadyTool>; missing: MissingTool[] }> {
  const rows = [...new Set(names)].map((name) => [name, row(table, name)] as const);
  const ready = new Map<string, ReadyTool>();
  const installed = new Map<string, Installed>();
  const missing: MissingTool[] = [];
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
  return { ready, missing };
}

function row(table: Readonly<Record<string, Tool>>, name: string): Tool {
  const tool = Object.hasOwn(table, name) ? table[name] : undefined;
  if (tool === undefined) {
    throw new Failure(
      `Unknown tool "${name}". The tools are ${(table === TOOLS ? TOOL_NAMES : Object.keys(table)).join(", ")}.`,
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
