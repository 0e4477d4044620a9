import type { local } from "@pulumi/command";
import { func } from "../shell/function";
import { choice, flag, list, mapOf, text } from "../shell/kind";
import type { Plain } from "../shell/wire";
import { variableFailures } from "./environment";
import { type LocalInputs, type LocalOutputs, runScript } from "./local-command";
import { LOGGING } from "./output";

/** `local.run` */
export const run = func<Plain<local.RunArgs>, LocalInputs & LocalOutputs & { command: string }>({
  args: {
    addPreviousOutputInEnv: { kind: flag },
    archivePaths: { kind: list(text) },
    assetPaths: { kind: list(text) },
    command: { kind: text, required: true },
    dir: { kind: text },
    environment: { kind: mapOf(text) },
    interpreter: { kind: list(text) },
    logging: { kind: choice(...LOGGING) },
    stdin: { kind: text },
  },
  result: {
    addPreviousOutputInEnv: {},
    archive: {},
    archivePaths: {},
    assetPaths: {},
    assets: {},
    command: {},
    dir: {},
    environment: {},
    interpreter: {},
    logging: {},
    stderr: {},
    stdin: {},
    stdout: {},
  },
  check: ({ environment }) => variableFailures(environment),
  invoke: async (context, args) => ({
    ...args,
    ...(await runScript(context, { property: "command", text: args.command }, args, {})),
  }),
});
