import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { ExitCode, Failure } from "../../lib/failure";
import { atLeast, atMost, type Benchmark, type Outcome, round } from "../benchmark";
import { stillMachine } from "../still-machine";
import { parseNodes, parsePart, parseProcessorTime, type ProcessorTime } from "./parts";

const PROJECT = path.join(__dirname, "..", "..");
const MAX_MINUTES = 25;
/** Steps that end sooner are not worth a line of their own. */
const SHORT_SECONDS = 2;
const MARKS = { begun: "@@ begun @@", installed: "@@ installed @@", started: "@@ started @@" } as const;
/** The machine shares the host's network, so what the start brought up there is taken down at the end. */
const COMMAND = [
  `echo '${MARKS.begun}'; npm ci --no-audit --no-fund && echo '${MARKS.installed}' && npm start; code=$?`,
  `echo '${MARKS.started}'; npm run --silent sandbox -- reset >/dev/null 2>&1; exit $code`,
].join("; ");

/**
 * The README's two commands on a machine that nobody has prepared, everything built from source. The reference is the
 * time that the same work would take if all cores were busy from the first second to the last.
 */
export const firstRun: Benchmark = {
  describes: "`npm ci && npm start` on a bare machine: by part, total, processor time, share of idle",

  async run(signal, say) {
    await stillMachine(signal, say);
    // Another way to get such a machine: a program that runs the command it is given as its only argument.
    const runner = process.env.FLEETWRIGHT_FRESH_MACHINE;
    return runner === undefined
      ? measureFirstRun(path.join(__dirname, "fresh-machine.sh"), [PROJECT, COMMAND], signal, say)
      : measureFirstRun(runner, [COMMAND], signal, say);
  },

  plots({ partSeconds, ...figures }) {
    return [
      {
        title: "First run",
        unit: "min",
        values: [
          ["total", Number(figures.totalMinutes)],
          ["processor time", Number(figures.processorMinutes)],
        ],
      },
      {
        title: "By part, several at a time",
        unit: "s",
        values: typeof partSeconds === "object" ? Object.entries(partSeconds) : [],
      },
    ];
  },
};

/** Runs a program that runs the command of a first run, and measures it from what it prints. */
export async function measureFirstRun(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<Outcome> {
  const child = spawn(program, args, { cwd: PROJECT, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const end = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
  };
  signal.addEventListener("abort", end, { once: true });
  const run = new Run();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      run.read(line);
      say(line);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  }).finally(() => signal.removeEventListener("abort", end));
  if (signal.aborted) throw new Failure("Interrupted.", ExitCode.interrupted);
  const nodes = parseNodes(run.output);
  const { begun, installed, started } = run;
  if (
    code !== 0 ||
    begun === undefined ||
    installed === undefined ||
    started === undefined ||
    nodes === undefined
  ) {
    throw new Failure(`The first run failed with exit code ${code ?? "none"}; its output is above.`);
  }
  const busy = started.busy - begun.busy;
  const idle = started.idle - begun.idle;
  const total = started.at - begun.at;
  return {
    figures: {
      totalMinutes: round(total / 60),
      npmCiSeconds: round(installed.at - begun.at),
      processorMinutes: round(busy / 60),
      idleShare: round(idle / (busy + idle)),
      timeOfBusyCoresRatio: round(total / (busy / os.availableParallelism())),
      nodesReady: nodes.ready,
      partSeconds: run.parts,
    },
    bars: [
      atMost("minutes of a first run on two quiet cores", total / 60, MAX_MINUTES),
      atLeast("ready nodes, of six", nodes.ready, 6),
    ],
  };
}

/** A point of a run: seconds, and processor time of the whole machine until then. */
interface Mark extends ProcessorTime {
  at: number;
}

/** What a run has printed, and when. */
class Run {
  readonly #lines: string[] = [];
  readonly #parts: Record<string, number> = {};
  begun: Mark | undefined;
  installed: Mark | undefined;
  started: Mark | undefined;

  read(line: string): void {
    this.#lines.push(line);
    if (line === MARKS.begun) this.begun = now();
    if (line === MARKS.installed) this.installed = now();
    if (line === MARKS.started) this.started = now();
    const part = parsePart(line);
    if (part !== undefined && part.seconds >= SHORT_SECONDS) this.#parts[part.title] = part.seconds;
  }

  get output(): string {
    return this.#lines.join("\n");
  }

  get parts(): Readonly<Record<string, number>> {
    return this.#parts;
  }
}

function now(): Mark {
  return { at: performance.now() / 1000, ...parseProcessorTime(readFileSync("/proc/stat", "utf8")) };
}
