// `npm run policy`: lists the policies that apply to a stack, and what they found.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { load } from "js-yaml";
import { isRecord } from "../core/property";
import { CONFIG_NAMESPACE, policyContextOf } from "../core/policy-context";
import { policies } from "../policies";
import { reportOf } from "./report";
import { readSource } from "./source";
import { table } from "./table";

const HELP = `Evaluates the policies for a stack, by its state or by a preview, without changing anything.

Usage: npm run policy -- report [options]

  --stack STACK      the stack of the project in the working directory (default: the selected one)
  --preview          evaluates what an update would create, instead of the state
  --file FILE        evaluates the output of \`pulumi stack export\` or \`pulumi preview --json\`; - is standard input
  --config FILE      the stack's config, with its exemptions (default: Pulumi.<stack>.yaml)
  --show-secrets     lets the policies read secrets in the state; their values are never shown
  --all              includes policies that apply to no resource of the stack
  --json             prints everything as JSON

Exits with 1 if an update would be blocked.`;

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

/** An error that the user can fix: shown without a stack trace. */
class UserError extends Error {}

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
    throw new UserError(
      "The input is neither a state nor a preview: use the output of `pulumi stack export` or `pulumi preview --json`.",
    );
  }
  const config = configOf(values.config ?? `Pulumi.${source.stack}.yaml`, values.config !== undefined);
  const context = policyContextOf(
    {
      exemptions: config[`${CONFIG_NAMESPACE}:exemptions`],
      settings: config[`${CONFIG_NAMESPACE}:settings`],
      environment: config[`${CONFIG_NAMESPACE}:environment`],
    },
    source.stack,
  );
  const report = reportOf(policies, source, context);
  process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : table(report, values));
  process.exitCode = report.blocks ? 1 : 0;
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
      throw new UserError(
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
    // Policies are evaluated here: with a pack the engine would stop at the violations that the report is to show.
    env: { ...process.env, PULUMI_OPTION_POLICY_PACK: undefined },
  };
  return new Promise((resolve, reject) => {
    execFile("pulumi", [...args, "--non-interactive"], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else
        reject(
          new UserError(
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

/** The config of a stack; empty if the default file does not exist. */
function configOf(file: string, isRequired: boolean): Readonly<Record<string, unknown>> {
  if (!existsSync(file)) {
    if (isRequired) throw new UserError(`${file} does not exist: name the stack's config with --config.`);
    return {};
  }
  const settings: unknown = load(readFileSync(file, "utf8"));
  return isRecord(settings) && isRecord(settings.config) ? settings.config : {};
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const isExpected = error instanceof UserError || (error instanceof TypeError && "code" in error);
  process.stderr.write(
    `error: ${isExpected ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exitCode = isExpected && !(error instanceof UserError) ? 2 : 1;
});
