import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { dangersIn, parsePreview, weigh, type Danger, type Step } from "./steps";

const HELP = `Fails where a preview would delete or replace what cannot be made again: state volumes and their addresses, EKS
clusters, keys, buckets, definitions of kinds.

Usage: pulumi preview --json | npm run -s guard -- [options] [FILE]

  --allow NAME        the resource of that name (or URN) may go; can be given more than once
  --json              prints the result as JSON

Exit codes: 0 nothing is lost, or it is allowed; 1 something would be lost; 2 wrong command line, or no preview.`;

function main(argv: string[]): number {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      allow: { type: "string", multiple: true, default: [] },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  const [file = "-"] = positionals;
  const steps = stepsOf(readFileSync(file === "-" ? 0 : file, "utf8"));
  const { refused, accepted, unused } = weigh(dangersIn(steps), values.allow);
  if (values.json) process.stdout.write(`${JSON.stringify({ refused, accepted, unused }, undefined, 2)}\n`);
  else process.stdout.write(describe(steps.length, refused, accepted, unused));
  return refused.length === 0 ? 0 : 1;
}

function stepsOf(text: string): Step[] {
  try {
    return parsePreview(text);
  } catch (error) {
    throw new Error(
      `This is no preview: ${messageOf(error)}. Give it the output of \`pulumi preview --json\`; see --help.`,
      { cause: error },
    );
  }
}

function describe(
  count: number,
  refused: readonly Danger[],
  accepted: readonly Danger[],
  unused: readonly string[],
): string {
  const line = (mark: string, { op, name, type, loses }: Danger): string =>
    `${mark} ${op} ${name} (${type}): loses ${loses}`;
  return [
    ...accepted.map((danger) => `${line("•", danger)}; allowed`),
    ...unused.map((word) => `• --allow ${word} is not needed: nothing of that name is lost`),
    ...refused.map((danger) => line("✗", danger)),
    refused.length === 0
      ? `✓ ${count} steps, none of which loses what cannot be made again without leave`
      : `If that is meant, and a copy is at hand, say so: ${refused.map(({ name }) => `--allow ${name}`).join(" ")}`,
    "",
  ].join("\n");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`guard: ${messageOf(error)}\n`);
  process.exitCode = 2;
}
