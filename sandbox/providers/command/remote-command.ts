// `remote.Command`: runs a command on a machine over SSH.
import type { remote } from "@pulumi/command";
import type { Context } from "../shell/context";
import { text } from "../shell/kind";
import { resource } from "../shell/declared-resource";
import type { Plain } from "../shell/wire";
import { connectionKind } from "./connection";
import { type PreviousOutput, previousVariables, variableFailures } from "./environment";
import { runRemotely } from "./remote-run";
import { commandInputs, newId, runsAgain, type Script, updateScript } from "./script";

type Inputs = Plain<remote.CommandArgs>;

interface Outputs {
  stdout: string;
  stderr: string;
}

/** `remote.Command` */
export const remoteCommand = resource<Inputs, Outputs>({
  inputs: { ...commandInputs, connection: { kind: connectionKind, required: true, secret: true } },
  outputs: { stdout: { kind: text }, stderr: { kind: text } },
  check: ({ environment }) => variableFailures(environment),
  renews: runsAgain,
  create: async (context, inputs) => ({
    id: newId(context.name),
    outputs:
      inputs.create === undefined
        ? { stdout: "", stderr: "" }
        : await runScript(context, { property: "create", text: inputs.create }, inputs, {}),
  }),
  update: async (context, { olds, news, changed }) => {
    const script = updateScript(news);
    if (script !== undefined && runsAgain(changed)) return runScript(context, script, news, olds);
    return { stdout: olds.stdout, stderr: olds.stderr };
  },
  delete: async (context, _, state) => {
    if (state.delete === undefined) return;
    await runScript(context, { property: "delete", text: state.delete }, state, state);
  },
});

function runScript(
  context: Context,
  script: Script,
  inputs: Inputs,
  previous: PreviousOutput,
): Promise<Outputs> {
  return runRemotely(context, {
    connection: inputs.connection,
    script: script.text,
    stdin: inputs.stdin,
    environment: inputs.environment ?? {},
    previous: previousVariables(previous, inputs.addPreviousOutputInEnv),
    logging: inputs.logging,
  });
}
