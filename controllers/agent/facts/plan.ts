// What the node's labels and conditions should be, decided from what was found on the host.
import { STATE_MARKER, STATE_MOUNT, volumeDevice } from "../../../lib/node-scripts/state-volume";
import type { NodeConditionState } from "../node-conditions";
import { METADATA_PATHS } from "./metadata";

/** The condition about the state volume. */
export const VOLUME_CONDITION = "StateVolumeProblem";
/** The condition about certificates. */
export const CERTIFICATES_CONDITION = "CertificatesExpiring";
/** All conditions that this controller writes. */
export const CONDITIONS: readonly string[] = [VOLUME_CONDITION, CERTIFICATES_CONDITION];

/** What was found of a node's state volume. */
export interface VolumeFacts {
  /** The text of `/etc/fstab`. */
  fstab: string;
  /** The mounts of the host, as `/proc/1/mountinfo` has them. */
  mounts: string;
  /** The text of the marker in the volume's root; undefined if there is none. */
  marker: string | undefined;
  /** The share of its space and of its inodes in use, from 0 to 1. */
  used: { bytes: number; files: number } | undefined;
}

const FULL = 0.9;

/**
 * The condition of the state volume. Whether there should be one is decided by the host's `/etc/fstab`; a node without
 * such a line has none, and gets no condition.
 */
export function evaluateVolume({ fstab, mounts, marker, used }: VolumeFacts): NodeConditionState | undefined {
  const device = expectedDevice(fstab);
  if (device === undefined) return undefined;
  const mount = mountAt(mounts);
  const bad = (reason: string, message: string): NodeConditionState => ({ bad: true, reason, message });
  if (mount === undefined)
    return bad(
      "VolumeMissing",
      `${device} should be mounted at ${STATE_MOUNT}, but nothing is: check the volume's attachment.`,
    );
  const volume = /^volume=(.+)$/m.exec(marker ?? "")?.[1];
  if (marker === undefined || volume === undefined)
    return bad(
      "VolumeForeign",
      `The volume mounted at ${STATE_MOUNT} has no ${STATE_MARKER}: it is not the node's state volume (${device}).`,
    );
  if (volumeDevice(volume) !== device)
    return bad(
      "VolumeForeign",
      `The volume mounted at ${STATE_MOUNT} is ${volume}, expected ${device}: attach the right one.`,
    );
  if (mount.readOnly)
    return bad(
      "VolumeReadOnly",
      `${STATE_MOUNT} (${volume}) is mounted read-only: its file system may be damaged. Check the kernel log.`,
    );
  if (used !== undefined && Math.max(used.bytes, used.files) > FULL) {
    const what =
      used.bytes > FULL ? `${percent(used.bytes)} of its space` : `${percent(used.files)} of its inodes`;
    return bad("VolumeFull", `${STATE_MOUNT} (${volume}) uses ${what}: enlarge the volume or delete files.`);
  }
  // Without the usage: it changes all the time, and every change of a condition is a write.
  return { bad: false, reason: "VolumeHealthy", message: `${volume} is mounted at ${STATE_MOUNT}.` };
}

function percent(share: number): string {
  // In steps of five, so that the condition is not written with every file.
  return `${Math.min(100, Math.floor(share * 20) * 5)} %`;
}

function expectedDevice(fstab: string): string | undefined {
  for (const line of fstab.split("\n")) {
    const [device, mountPoint] = line.trim().split(/\s+/);
    if (mountPoint === STATE_MOUNT && device !== undefined && !device.startsWith("#")) return device;
  }
  return undefined;
}

function mountAt(mounts: string): { readOnly: boolean } | undefined {
  // The last mount is the visible one.
  const line = mounts
    .split("\n")
    .filter((one) => one.split(" ")[4] === STATE_MOUNT)
    .at(-1);
  if (line === undefined) return undefined;
  const [before = "", after = ""] = line.split(" - ");
  const options = [...(before.split(" ")[5] ?? "").split(","), ...(after.split(" ")[2] ?? "").split(",")];
  return { readOnly: options.includes("ro") };
}

/** Certificates that expire within this many days are reported. */
export const EXPIRY_DAYS = 30;

/** A certificate file and when it expires. */
export interface CertificateFact {
  file: string;
  notAfter: number;
}

/** The condition of the certificates; undefined if there are none. */
export function evaluateCertificates(
  found: readonly CertificateFact[],
  now: number,
): NodeConditionState | undefined {
  if (found.length === 0) return undefined;
  const soon = found
    .filter(({ notAfter }) => notAfter - now < EXPIRY_DAYS * 86_400_000)
    .sort((a, b) => a.notAfter - b.notAfter);
  if (soon.length === 0)
    return {
      bad: false,
      reason: "CertificatesValid",
      message: `No certificate expires within ${EXPIRY_DAYS} days.`,
    };
  const named = soon
    .slice(0, 5)
    .map(({ file, notAfter }) => `${file} (${new Date(notAfter).toISOString().slice(0, 10)})`);
  const expired = soon.some(({ notAfter }) => notAfter <= now);
  return {
    bad: true,
    reason: expired ? "CertificateExpired" : "CertificateExpiresSoon",
    message: `${named.join(", ")}${soon.length > 5 ? ` and ${soon.length - 5} more` : ""}: rotate them; RKE2 does so when its service restarts.`,
  };
}

/** Set by the kubelet until a cloud controller has initialized the node, labels included. */
const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

/** The labels that are not set and that no cloud controller is about to set. */
export function missingLabels(labels: Readonly<Record<string, string>>, taints: readonly string[]): string[] {
  if (taints.includes(UNINITIALIZED)) return [];
  return Object.keys(METADATA_PATHS).filter((label) => labels[label] === undefined);
}
