import { STATE_MARKER, STATE_MOUNT, volumeDevice } from "../../../scripts/state-volume";
import type { NodeJudgement } from "../own-node";

/** What was found of a node's state volume. */
export interface VolumeFacts {
  /** The text of `/etc/fstab`. */
  fstab: string;
  /** The mounts of the host, as `/proc/1/mountinfo` has them. */
  mounts: string;
  /** The text of the marker in the volume's root; undefined if there is none. */
  marker: string | undefined;
  /** How much of its room and of its inodes is in use, from 0 to 1. */
  used: { bytes: number; files: number } | undefined;
}

const FULL = 0.9;

/**
 * Judges the state volume. That there should be one is what the host's own table of file systems says; a node without
 * such a line has none, and gets no judgement.
 */
export function judgeVolume({ fstab, mounts, marker, used }: VolumeFacts): NodeJudgement | undefined {
  const device = expectedDevice(fstab);
  if (device === undefined) return undefined;
  const mount = mountAt(mounts);
  const bad = (reason: string, message: string): NodeJudgement => ({ bad: true, reason, message });
  if (mount === undefined)
    return bad(
      "VolumeMissing",
      `${device} belongs at ${STATE_MOUNT} and nothing is mounted there: look at the volume's attachment.`,
    );
  const volume = /^volume=(.+)$/m.exec(marker ?? "")?.[1];
  if (marker === undefined || volume === undefined)
    return bad(
      "VolumeForeign",
      `What is mounted at ${STATE_MOUNT} has no ${STATE_MARKER}: it is not the node's state volume (${device}).`,
    );
  if (volumeDevice(volume) !== device)
    return bad(
      "VolumeForeign",
      `The volume at ${STATE_MOUNT} says that it is ${volume}, and ${device} is expected: attach the right one.`,
    );
  if (mount.readOnly)
    return bad(
      "VolumeReadOnly",
      `${STATE_MOUNT} (${volume}) can only be read: its file system may be broken. Look at the kernel's log.`,
    );
  if (used !== undefined && Math.max(used.bytes, used.files) > FULL) {
    const what =
      used.bytes > FULL ? `${percent(used.bytes)} of its room` : `${percent(used.files)} of its inodes`;
    return bad("VolumeFull", `${STATE_MOUNT} (${volume}) uses ${what}: make the volume larger, or tidy up.`);
  }
  // Without the figure: it changes all the time, and a condition is written when it changes.
  return { bad: false, reason: "VolumeWell", message: `${volume} is mounted at ${STATE_MOUNT}.` };
}

function percent(share: number): string {
  // In steps of five, so that the condition is not written with every file.
  return `${Math.min(100, Math.floor(share * 20) * 5)} %`;
}

function expectedDevice(fstab: string): string | undefined {
  for (const line of fstab.split("\n")) {
    const [device, place] = line.trim().split(/\s+/);
    if (place === STATE_MOUNT && device !== undefined && !device.startsWith("#")) return device;
  }
  return undefined;
}

function mountAt(mounts: string): { readOnly: boolean } | undefined {
  // The last one lies on top.
  const line = mounts
    .split("\n")
    .filter((one) => one.split(" ")[4] === STATE_MOUNT)
    .at(-1);
  if (line === undefined) return undefined;
  const [before = "", after = ""] = line.split(" - ");
  const options = [...(before.split(" ")[5] ?? "").split(","), ...(after.split(" ")[2] ?? "").split(",")];
  return { readOnly: options.includes("ro") };
}
