/**
 * `npm run test:nodes`: the unit tests, a preview and a start on every supported version of Node, each from npm's own
 * packages in the tool cache. `--only 22`, `--part unit|preview|start` and, after `--`, arguments for Jest narrow it.
 */
import { spawn } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { alignColumns } from "../lib/columns";
import { runCommand } from "../lib/command";
import { ExitCode, Failure } from "../lib/failure";
import { streamProgress } from "../lib/progress";
import { ensureNode, NODE_RELEASES, type NodeRelease } from "../sandbox/node-release";

const ROOT = path.dirname(__dirname);
const PARTS = ["unit", "preview", "start"] as const;
type Part = (typeof PARTS)[number];

const HELP = `npm run test:nodes -- [options] [-- arguments for Jest]
  --only <major>  one version of Node: ${Object.keys(NODE_RELEASES).join(", ")} (may be repeated)
  --part <part>   one part: ${PARTS.join(", ")} (may be repeated)
  --json          the outcome as one JSON object, the last line
`;

/** How one part went on one version. */
interface Outcome {
  readonly node: string;
  readonly part: Part;
  readonly passed: boolean;
  readonly seconds: number;
}

async function main(argv: string[], signal: AbortSignal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      only: { type: "string", multiple: true },
      part: { type: "string", multiple: true },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const outcomes: Outcome[] = [];
  for (const release of releasesOf(values.only)) {
    const node = await ensureNode(release, { progress: streamProgress(process.stderr) });
    for (const part of partsOf(values.part)) {
      process.stderr.write(`\nNode ${release.version}: ${part}\n`);
      const began = performance.now();
      const passed = await runPart(part, node, positionals, signal);
      const seconds = Math.round((performance.now() - began) / 1000);
      outcomes.push({ node: release.version, part, passed, seconds });
      if (signal.aborted) throw new Failure("Interrupted.", ExitCode.interrupted);
    }
  }
  process.stdout.write(`\n${table(outcomes)}`);
  if (values.json) process.stdout.write(`${JSON.stringify({ outcomes })}\n`);
  if (outcomes.some(({ passed }) => !passed)) process.exitCode = ExitCode.failed;
}

function releasesOf(only: readonly string[] | undefined): NodeRelease[] {
  const releases: Readonly<Record<string, NodeRelease>> = NODE_RELEASES;
  return (only ?? Object.keys(releases)).map((major) => {
    const found = releases[major];
    if (found !== undefined) return found;
    const known = Object.keys(releases).join(", ");
    throw new Failure(`Node ${major} is not tested here; --only takes ${known}.`, ExitCode.usage);
  });
}

function partsOf(wanted: readonly string[] | undefined): Part[] {
  const unknown = wanted?.find((part) => !PARTS.some((known) => known === part));
  if (unknown !== undefined)
    throw new Failure(`There is no part "${unknown}"; --part takes ${PARTS.join(", ")}.`, ExitCode.usage);
  return PARTS.filter((part) => wanted?.includes(part) ?? true);
}

/** Runs one part with this Node first in PATH, so that every process below uses it too. */
async function runPart(
  part: Part,
  node: string,
  jest: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const bin = path.join(ROOT, "node_modules", ".bin");
  const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH ?? ""}` };
  const run = (args: readonly string[]): Promise<boolean> => succeeds(node, args, env, signal);
  if (part === "unit") {
    const without = [
      "--testPathIgnorePatterns",
      "/node_modules/",
      "/test/(e2e|language-host)/",
      "\\.soak\\.",
    ];
    return run([path.join(bin, "jest"), ...(jest.length > 0 ? jest : without)]);
  }
  if (part === "preview") return run([path.join(bin, "jest"), "test/e2e/stacks.test.ts"]);
  // A sandbox of its own, so that one that runs already is left alone.
  const sandbox = ["--require", "tsx/cjs", path.join(ROOT, "sandbox", "cli.ts")];
  const name = `node-${path.basename(path.dirname(path.dirname(node))).split(".")[0] ?? ""}`;
  try {
    return await run([...sandbox, "start", "--name", name]);
  } finally {
    await succeeds(node, [...sandbox, "reset", "--name", name], env);
  }
}

function succeeds(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], { cwd: ROOT, env, stdio: ["ignore", 2, 2] });
    const stop = (): void => void child.kill("SIGINT");
    signal?.addEventListener("abort", stop, { once: true });
    child.once("error", reject);
    child.once("exit", (code) => {
      signal?.removeEventListener("abort", stop);
      resolve(code === 0);
    });
  });
}

function table(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ node, part, passed, seconds }) => [
    node,
    part,
    passed ? "passed" : "FAILED",
    `${seconds} s`,
  ]);
  return `${alignColumns([["Node", "part", "outcome", "time"], ...rows]).join("\n")}\n`;
}

if (require.main === module) runCommand(main);
