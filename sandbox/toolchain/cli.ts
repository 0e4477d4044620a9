// `npm run tools`: gets and lists the tools, and installs system packages.
import { parseArgs } from "node:util";
import { alignColumns } from "../../lib/columns";
import { runCommand } from "../../lib/command";
import { ExitCode, Failure } from "../../lib/failure";
import { streamProgress } from "../../lib/progress";
import { cacheRoot, recipeKey, ToolCache } from "./cache";
import { ensureTools } from "./ensure";
import { findInstalled, type Installed } from "./installed";
import { requirePrerequisites } from "./prerequisites";
import { ensureSystemPackages, missingPackages, offerSystemPackages } from "./system-packages";
import { isToolName, TOOL_NAMES, TOOL_SETS, type ToolName, TOOLS, type ToolSet } from "./tools";

const HELP = `The tools that the project runs, each at the version it is tested with.

Usage: npm run tools -- <command>

  list [--json]             tools, versions, and where each would come from
  get [NAME…]               finds, downloads or builds tools
      --for SET             the tools of a command: ${Object.keys(TOOL_SETS).join(", ")}
  path NAME                 prints the path of a tool, which is built if need be
  system [--install]        checks the system packages that machines need; installs them as root on Debian or Ubuntu
  check                     checks Node, Go and Python

Tools are looked for on PATH, in the cache (${cacheRoot()}),
at the official download site (off with FLEETWRIGHT_TOOLS_DOWNLOAD=off); the others are built from their Go modules.`;

async function main(argv: string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      for: { type: "string" },
      json: { type: "boolean" },
      install: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  const [command, ...names] = positionals;
  if (values.help === true || command === undefined) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const progress = streamProgress(process.stderr);
  switch (command) {
    case "list":
      return list(values.json === true);
    case "get": {
      const tools = await ensureTools([...toolNames(names), ...toolSet(values.for)], { progress, signal });
      for (const tool of Object.values(tools)) {
        if (tool.origin !== "cache")
          progress.note(`   ${tool.name} ${tool.version}: ${tool.path} (${tool.origin})`);
      }
      if (values.for === "test" || values.for === "all") await offerSystemPackages(progress);
      return;
    }
    case "path": {
      const wanted = toolNames(names);
      for (const tool of Object.values(await ensureTools(wanted, { progress, signal }))) {
        process.stdout.write(`${tool.path}\n`);
      }
      return;
    }
    case "system": {
      if (values.install === true) await ensureSystemPackages(progress);
      const missing = await missingPackages();
      process.stdout.write(
        missing.length === 0
          ? "All system packages are installed.\n"
          : `Missing: ${missing.map(({ debian }) => debian).join(", ")} (npm run tools -- system --install)\n`,
      );
      return;
    }
    case "check":
      await requirePrerequisites({ builds: Object.values(TOOLS), python: true });
      process.stdout.write("Node, Go and Python are good enough.\n");
      return;
    default:
      throw new Failure(
        `Unknown command "${command}". The commands are list, get, path, system and check; --help describes them.`,
        ExitCode.usage,
      );
  }
}

function toolNames(words: readonly string[]): ToolName[] {
  return words.map((word) => {
    if (isToolName(word)) return word;
    throw new Failure(`Unknown tool "${word}". The tools are ${TOOL_NAMES.join(", ")}.`, ExitCode.usage);
  });
}

function toolSet(word: string | undefined): readonly ToolName[] {
  if (word === undefined) return [];
  if (!isToolSet(word)) {
    throw new Failure(
      `Unknown set of tools "${word}". The sets are ${Object.keys(TOOL_SETS).join(", ")}.`,
      ExitCode.usage,
    );
  }
  return TOOL_SETS[word];
}

const isToolSet = (word: string): word is ToolSet => Object.hasOwn(TOOL_SETS, word);

async function list(json: boolean): Promise<void> {
  const cache = new ToolCache();
  const installed = new Map<string, Installed>();
  const rows = [];
  for (const name of TOOL_NAMES) {
    const tool = TOOLS[name];
    const found = await findInstalled(name, tool, installed, process.env, [cache.root]);
    if (found !== undefined) installed.set(name, found);
    const cached = found === undefined ? await cache.find(name, await recipeKey(tool)) : undefined;
    rows.push({
      name,
      version: found?.version ?? tool.version,
      from:
        found !== undefined
          ? "installed"
          : cached !== undefined
            ? `cache (${cached.manifest.origin})`
            : "to be built",
      path: found?.path ?? cached?.path ?? null,
      purpose: tool.purpose,
    });
  }
  if (json) {
    process.stdout.write(`${JSON.stringify(rows, undefined, 2)}\n`);
    return;
  }
  const shown = alignColumns(rows.map(({ name, version, from, purpose }) => [name, version, from, purpose]));
  process.stdout.write(`${shown.join("\n")}\n`);
}

if (require.main === module) runCommand(main);
