import type { remote } from "@pulumi/command";
import { anything, list, text } from "../shell/kind";
import { resource } from "../shell/declared-resource";
import type { Plain } from "../shell/wire";
import { connectionKind } from "./connection";
import { newId } from "./script";
import { uploadPath, withFiles } from "./upload";

/** `remote.CopyFile`, which the SDK calls deprecated: it does not see that the content of the file has changed. */
export const copyFile = resource<Plain<remote.CopyFileArgs>, object>({
  inputs: {
    connection: { kind: connectionKind, required: true, secret: true },
    localPath: { kind: text, required: true, onChange: "replace" },
    remotePath: { kind: text, required: true, onChange: "replace" },
    triggers: { kind: list(anything), onChange: "replace" },
  },
  outputs: {},
  create: async (context, { connection, localPath, remotePath }) => {
    await withFiles(context, connection, (files) => uploadPath(files, localPath, remotePath));
    return { id: newId(context.name), outputs: {} };
  },
});
