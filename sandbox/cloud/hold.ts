import type { Change } from "../aws";

/** What an answer of AWS's API waits for, and how long at most. */
export interface Hold {
  /** Which objects are to be as AWS's API says when the answer is given. */
  concerns: (key: string) => boolean;
  timeoutMs: number;
}

/** A machine gets this long to switch itself off. */
const SWITCH_OFF_MS = 30_000;
const VOLUME_MS = 10_000;

/**
 * AWS's API answers before a machine has ended or a volume is there, and shows states in between. Of these
 * moto's states know nothing, so the answer waits instead: whoever then reads the final state finds that it is true. That an
 * instance is stopping is a state that does wait for its machine.
 */
export function holdOf(change: Change): Hold | undefined {
  if (change.service !== "ec2") return undefined;
  const { text, list } = change;
  switch (change.action) {
    case "TerminateInstances":
      return { concerns: (key) => list("InstanceId").includes(key), timeoutMs: SWITCH_OFF_MS };
    case "AttachVolume":
    case "DetachVolume":
    case "DeleteVolume":
    case "ModifyVolume":
      return { concerns: (key) => key === text("VolumeId"), timeoutMs: VOLUME_MS };
    case "CreateSnapshot":
      // The new snapshot's id is not among the parameters.
      return { concerns: (key) => key.startsWith("snap-"), timeoutMs: VOLUME_MS };
    default:
      return undefined;
  }
}
