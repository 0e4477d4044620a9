import { MOST_OUTPUT } from "../../../api/upgrade-report";
import type { Order, Report } from "../../handover";

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
 * Decides from what is ordered, what was told and what is, so that an agent that was killed goes on where it was. An
 * installer that runs is let run to its end even if the upgrade is aborted, because a node is worse off half-way; it is
 * stopped when the coordinator has given the node up.
 */
export function nextStep(
  order: Order["what"],
  report: Pick<Report, "installer" | "attempt">,
  { runs, fetched, started, exitCode }: InstallerFacts,
): Step {
  if (exitCode !== undefined) return "finish";
  if (runs) return order === "stop" ? "stop" : "watch";
  // Said to run, it was begun, whether or not it came to leave a mark on the host: it was stopped at once, or the machine was
  // made anew under its name.
  if (started || report.installer === "Running") return "lose";
  if (order === "stop") return "nothing";
  // Said once and for all; the coordinator is about to take the node back.
  if (report.installer === "Refused" || report.installer === "Aborted") return "nothing";
  if ((report.attempt ?? 0) > 0) return "nothing";
  if (order === "end") return "abort";
  return fetched ? "start" : "fetch";
}

/** Of an upgrade that went well nobody reads more, and status holds the words of hundreds of nodes. */
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
