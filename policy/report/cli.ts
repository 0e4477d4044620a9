import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { load } from "js-yaml";
import { isRecord } from "../judge/property";
import { NAMESPACE, surroundingsOf } from "../judge/surroundings";
import { policies } from "../policies";
import { reportOf } from "./report";
import { readSource } from "./source";
import { table } from "./table";

const HELP = `What the policies say of a stack, by its state or by a preview, without changing anything.

Usage: npm run policy -- report [options]

  --stack STACK      which stack of the project in the working directory (the one that is selected)
  --preview          judges what an update would make, not what is there
  --file FILE        judges what \`pulumi stack export\` or \`pulumi preview --json\` wrote; - is standard input
  --config FILE      the stack's settings, with its exemptions (Pulumi.<stack>.yaml)
  --show-secrets     lets the policies read secrets of the state; no value of one is ever shown
  --all              also the policies that are about nothing in the stack
  --json             everything as JSON

Exits with 1 if something would stop an update.`;

const OPTIONS = {
  stack: { type: "string" },
  preview: { type: "boolean", default: false },
  file: { type: "string" },
  config: { type: "string" },
  "show-secrets": { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** A failure that is told to a person, without a stack. */
class Trouble extends Error {}

async function main(argv: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options: OPTIONS });
  if (values.help || positionals[0] !== "report" || positionals.length > 1) {
    process.stdout.write(`${HELP}\n`);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const text = await documentOf(values);
  const source = readSource(parsed(text));
  if (source === undefined) {
    throw new Trouble(
      "What was read is neither a state nor a preview: give what `pulumi stack export` or `pulumi preview --json` writes.",
    );
  }
  const config = configOf(values.config ?? `Pulumi.${source.stack}.yaml`, values.config !== undefined);
  const around = surroundingsOf(
    {
      exemptions: config[`${NAMESPACE}:exemptions`],
      settings: config[`${NAMESPACE}:settings`],
      environment: config[`${NAMESPACE}:environment`],
    },
    source.stack,
  );
  const report = reportOf(policies, source, around);
  process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : table(report, values));
  process.exitCode = report.stops ? 1 : 0;
}

async function documentOf(values: {
  stack?: string;
  preview: boolean;
  file?: string;
  "show-secrets": boolean;
}): Promise<string> {
  if (values.file !== undefined) {
    try {
      return readFileSync(values.file === "-" ? 0 : values.file, "utf8");
    } catch (error) {
      throw new Trouble(
        `${values.file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  const stack = values.stack === undefined ? [] : ["--stack", values.stack];
  const secrets = values["show-secrets"] ? ["--show-secrets"] : [];
  return values.preview
    ? pulumi(["preview", "--json", ...secrets, ...stack])
    : pulumi(["stack", "export", ...secrets, ...stack]);
}

function pulumi(args: readonly string[]): Promise<string> {
  const options = {
    maxBuffer: 1 << 30,
    // The packs are asked here, not by the engine: what they would stop is what is wanted to be seen.
    env: { ...process.env, PULUMI_OPTION_POLICY_PACK: undefined },
  };
  return new Promise((resolve, reject) => {
    execFile("pulumi", [...args, "--non-interactive"], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else
        reject(
          new Trouble(
            `\`pulumi ${args.join(" ")}\` failed: ${stderr.trim() || stdout.trim() || error.message}`,
          ),
        );
    });
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The config of a stack; none where there is no file and none was asked for. */
function configOf(file: string, isAsked: boolean): Readonly<Record<string, unknown>> {
  if (!existsSync(file)) {
    if (isAsked) throw new Trouble(`${file} does not exist: give the stack's settings with --config.`);
    return {};
  }
  const settings: unknown = load(readFileSync(file, "utf8"));
  return isRecord(settings) && isRecord(settings.config) ? settings.config : {};
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const isExpected = error instanceof Trouble || (error instanceof TypeError && "code" in error);
  process.stderr.write(
    `error: ${isExpected ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exitCode = isExpected && !(error instanceof Trouble) ? 2 : 1;
});
