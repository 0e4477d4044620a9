// The command `npm run guard`: stops a pipeline before it loses state.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { lossesIn, parsePreview, sortLosses, type Loss, type Step } from "./losses";

const HELP = `Fails if a preview would delete or replace something irreplaceable: state volumes and their addresses, EKS clusters,
KMS keys, buckets, custom resource definitions.

Usage: pulumi preview --json | npm run -s guard -- [options] [FILE]

  --allow NAME        allows the loss of the resource with this name or URN; repeatable
  --json              prints the result as JSON

Exit codes: 0 nothing irreplaceable is lost, or its loss is allowed; 1 something would be lost; 2 invalid command line or input.`;

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
  const { denied, allowed, unused } = sortLosses(lossesIn(steps), values.allow);
  if (values.json) process.stdout.write(`${JSON.stringify({ denied, allowed, unused }, undefined, 2)}\n`);
  else process.stdout.write(describe(steps.length, denied, allowed, unused));
  return denied.length === 0 ? 0 : 1;
}

function stepsOf(text: string): Step[] {
  try {
    return parsePreview(text);
  } catch (error) {
    throw new Error(
      `Invalid preview: ${messageOf(error)}. Use the output of \`pulumi preview --json\`; see --help.`,
      { cause: error },
    );
  }
}

function describe(
  count: number,
  denied: readonly Loss[],
  allowed: readonly Loss[],
  unused: readonly string[],
): string {
  const line = (mark: string, { op, name, type, loses }: Loss): string =>
    `${mark} ${op} ${name} (${type}): loses ${loses}`;
  return [
    ...allowed.map((loss) => `${line("•", loss)}; allowed`),
    ...unused.map((word) => `• --allow ${word} is not needed: no resource of that name is lost`),
    ...denied.map((loss) => line("✗", loss)),
    denied.length === 0
      ? `✓ ${count} steps, nothing irreplaceable is lost unless allowed`
      : `If intended and backed up, rerun with ${denied.map(({ name }) => `--allow ${name}`).join(" ")}`,
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
