import type { remote } from "@pulumi/command";
import type { Context } from "../shell/context";
import { anything, asset, list, type CheckFailure, text } from "../shell/kind";
import { resource } from "../shell/declared-resource";
import type { Plain, WireAsset } from "../shell/wire";
import { connectionKind } from "./connection";
import { newId } from "./script";
import { uploadPath, uploadText, withFiles } from "./upload";

type Inputs = Plain<remote.CopyToRemoteArgs>;

/** `remote.CopyToRemote` */
export const copyToRemote = resource<Inputs, object>({
  inputs: {
    connection: { kind: connectionKind, required: true, secret: true },
    remotePath: { kind: text, required: true },
    source: { kind: asset, required: true },
    triggers: { kind: list(anything), onChange: "replace" },
  },
  outputs: {},
  check: ({ source }) => (source === undefined ? [] : sourceFailures(source)),
  create: async (context, inputs) => {
    await copy(context, inputs);
    return { id: newId(context.name), outputs: {} };
  },
  update: async (context, { news, changed }) => {
    if (changed.has("source") || changed.has("remotePath")) await copy(context, news);
    return {};
  },
});

/** What is wrong with the source of a copy. */
export function sourceFailures(source: WireAsset): CheckFailure[] {
  return source.path !== undefined || source.text !== undefined
    ? []
    : [{ property: "source", reason: "must be a FileAsset, StringAsset or FileArchive" }];
}

async function copy(context: Context, { connection, remotePath, source }: Inputs): Promise<void> {
  await withFiles(context, connection, async (files) => {
    if (source.path !== undefined) await uploadPath(files, source.path, remotePath);
    else await uploadText(files, source.text ?? "", remotePath);
  });
}
