import type { NodeUpgradeStatus } from "../../../api";

/** What is known of an installer on the host. */
export interface InstallerFacts {
  /** Whether its service runs. Looked at before the files, so that an end in between is not taken for a loss. */
  runs: boolean;
  /** Whether it is there, whole and with the right digest. */
  fetched: boolean;
  /** Whether it was ever begun. */
  started: boolean;
  exitCode: number | undefined;
}

/** What to do next about an upgrade on this node. */
export type Step = "nothing" | "fetch" | "start" | "watch" | "stop" | "finish" | "abort" | "lose";

/**
 * Decides from what is, so that an agent that was killed goes on where it was. An installer that runs is let run to its
 * end even if the upgrade is aborted, because a node is worse off half-way; it is stopped when the coordinator has given
 * the node up.
 */
export function nextStep(
  entry: Pick<NodeUpgradeStatus, "phase" | "reason" | "installer" | "attempt"> | undefined,
  ending: boolean,
  { runs, fetched, started, exitCode }: InstallerFacts,
): Step {
  if (exitCode !== undefined) return "finish";
  const givenUp = entry?.phase === "Failed" || (entry?.phase === "Uncordoning" && entry.reason === "Timeout");
  if (runs) return givenUp ? "stop" : "watch";
  // Said to run, it was begun, whether or not it came to leave a mark on the host: it was stopped at once, or the machine was
  // made anew under its name.
  if (started || entry?.installer === "Running") return "lose";
  if (entry?.phase !== "Upgrading") return "nothing";
  // Said once and for all; the coordinator is about to take the node back.
  if (entry.installer === "Refused" || entry.installer === "Aborted") return "nothing";
  if ((entry.attempt ?? 0) > 0) return "nothing";
  if (ending) return "abort";
  return fetched ? "start" : "fetch";
}

const MOST_OUTPUT = 4096;
/** Of an upgrade that went well nobody reads more, and hundreds of nodes share one object. */
const OUTPUT_WHEN_WELL = 256;

/** The end of what an installer wrote, cut at a line and without what terminals take for orders. */
export function lastLines(text: string, exitCode: number | undefined): string {
  const most = exitCode === 0 ? OUTPUT_WHEN_WELL : MOST_OUTPUT;
  // eslint-disable-next-line no-control-regex
  const plain = text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "").replace(/[^\n\t\x20-\x7e\u00a0-\ufffd]/g, "");
  const trimmed = plain.trimEnd();
  if (trimmed.length <= most) return trimmed;
  const end = trimmed.slice(-most);
  const line = end.indexOf("\n");
  return line === -1 ? end : end.slice(line + 1);
}
