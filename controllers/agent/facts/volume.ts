// Reads the state of the node's state volume.
import { readFile, statfs } from "node:fs/promises";
import path from "node:path";
import { STATE_MARKER, STATE_MOUNT } from "../../../lib/node-scripts/state-volume";
import { HostRefusal, type HostRoot } from "../host";
import type { VolumeFacts } from "./plan";

/** Reads the state of the node's state volume from the host; undefined if `/etc/fstab` mentions none. */
export async function readVolume(root: HostRoot, proc: string): Promise<VolumeFacts | undefined> {
  const fstab = (await root.ifFolder("/etc", (etc) => etc.read("fstab")))?.result?.text ?? "";
  if (!fstab.includes(STATE_MOUNT)) return undefined;
  const mounts = await readFile(path.join(proc, "1/mountinfo"), "utf8");
  const marker = await readMarker(root);
  const used = await statfs(path.join(root.mountPath, STATE_MOUNT)).then(
    ({ blocks, bavail, files, ffree }) => ({
      bytes: blocks === 0 ? 0 : 1 - bavail / blocks,
      files: files === 0 ? 0 : 1 - ffree / files,
    }),
    () => undefined,
  );
  return { fstab, mounts, marker, used };
}

async function readMarker(root: HostRoot): Promise<string | undefined> {
  try {
    return (await root.ifFolder(STATE_MOUNT, (folder) => folder.read(STATE_MARKER)))?.result?.text;
  } catch (error) {
    if (error instanceof HostRefusal) return undefined;
    throw error;
  }
}
