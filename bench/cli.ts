import { readdirSync } from "node:fs";
import path from "node:path";
import { runCommand } from "../lib/command";
import { ExitCode, Failure } from "../lib/failure";
import type { Benchmark } from "./benchmark";
import { report } from "./report";
import { agent } from "./agent";
import { cache } from "./cache";
import { cloud } from "./cloud";
import { labels, registries, upgrade } from "./coordinator";
import { firstRun } from "./first-run";
import { hubApiserver } from "./hub-apiserver";
import { policy } from "./policy";
import { preview } from "./preview";
import { start } from "./start";

/** The benchmarks by name; each measures one thing beside its reference in the same run. */
const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  agent,
  cache,
  cloud,
  "first-run": firstRun,
  "hub-apiserver": hubApiserver,
  labels,
  policy,
  preview,
  registries,
  start,
  upgrade,
};

async function main(argv: string[], signal: AbortSignal): Promise<void> {
  const [name, ...args] = argv;
  const benchmark = name === undefined || !Object.hasOwn(BENCHMARKS, name) ? undefined : BENCHMARKS[name];
  if (name === undefined || benchmark === undefined) {
    const known = Object.entries(BENCHMARKS).map(
      ([key, { describes }]) => `  ${key.padEnd(13)} ${describes}`,
    );
    throw new Failure(
      `${name === undefined ? "Which benchmark?" : `There is no benchmark "${name}".`} npm run bench -- <name>:\n${known.join("\n")}`,
      ExitCode.usage,
    );
  }
  const results = path.join(__dirname, "results");
  const outcome = await benchmark.run(signal, (line) => process.stderr.write(`${line}\n`), args);
  if (args.length > 0) {
    process.stderr.write("This was a try with options: bench/results stays as it is.\n");
  } else {
    await report(results, { bench: name, ...outcome }, benchmark.plots(outcome.figures));
    process.stderr.write(
      `Written: ${readdirSync(results)
        .filter((file) => file.startsWith(`${name}.`))
        .join(", ")} in bench/results\n`,
    );
  }
  process.stdout.write(`${JSON.stringify({ bench: name, ...outcome })}\n`);
}

if (require.main === module) runCommand(main);
