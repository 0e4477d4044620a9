import type { local } from "@pulumi/command";
import { asset, list, mapOf, text } from "../shell/kind";
import type { Context } from "../shell/context";
import { resource } from "../shell/declared-resource";
import type { Plain, WireAsset } from "../shell/wire";
import { type PreviousOutput, previousVariables, variableFailures } from "./environment";
import { findArchive, findAssets } from "./found-files";
import { runLocally } from "./local-run";
import { commandInputs, newId, runsAgain, type Script, updateScript } from "./script";

/** What `local.Command` and `local.run` share. */
export type LocalInputs = Omit<Plain<local.RunArgs>, "command">;

/** What a command said and left behind. */
export interface LocalOutputs {
  stdout: string;
  stderr: string;
  assets?: Record<string, WireAsset>;
  archive?: WireAsset;
}

/** `local.Command` */
export const localCommand = resource<Plain<local.CommandArgs>, LocalOutputs>({
  inputs: {
    ...commandInputs,
    archivePaths: { kind: list(text) },
    assetPaths: { kind: list(text) },
    dir: { kind: text },
    interpreter: { kind: list(text) },
  },
  outputs: {
    stdout: { kind: text },
    stderr: { kind: text },
    assets: { kind: mapOf(asset) },
    archive: { kind: asset },
  },
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
    return script === undefined || !runsAgain(changed)
      ? outputsOf(olds)
      : runScript(context, script, news, olds);
  },
  delete: async (context, _, state) => {
    if (state.delete === undefined) return;
    await runScript(context, { property: "delete", text: state.delete }, state, state);
  },
});

/** Runs a script and finds the files that are wanted of it. */
export async function runScript(
  context: Context,
  script: Script | { readonly property: "command"; readonly text: string },
  inputs: LocalInputs,
  previous: PreviousOutput,
): Promise<LocalOutputs> {
  const said = await runLocally(context, {
    script: script.text,
    interpreter: inputs.interpreter,
    dir: inputs.dir,
    stdin: inputs.stdin,
    environment: {
      ...inputs.environment,
      ...previousVariables(previous, inputs.addPreviousOutputInEnv),
    },
    logging: inputs.logging,
  });
  if (script.property === "delete") return said;
  const dir = inputs.dir ?? process.cwd();
  return {
    ...said,
    ...(inputs.assetPaths && { assets: await findAssets(dir, inputs.assetPaths) }),
    ...(inputs.archivePaths && { archive: await findArchive(dir, inputs.archivePaths) }),
  };
}

function outputsOf({ stdout, stderr, assets, archive }: LocalOutputs): LocalOutputs {
  return { stdout, stderr, ...(assets && { assets }), ...(archive && { archive }) };
}
