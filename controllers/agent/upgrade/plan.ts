// Decides the next step of an upgrade on this node: pure, from order, report and host.
import { MAX_OUTPUT } from "../../../api/upgrade-report";
import type { UpgradeOrder, UpgradeReport } from "../../../api/upgrade-annotations";

/** What is known of an installer on the host. */
export interface InstallerFacts {
  /** Whether its service is running. Read before the files, so that an exit in between is not taken for a loss. */
  running: boolean;
  /** Whether it is on the disk, complete and with the right digest. */
  fetched: boolean;
  /** Whether it was ever started. */
  started: boolean;
  exitCode: number | undefined;
}

/** What to do next about an upgrade on this node. */
export type Step = "nothing" | "fetch" | "start" | "watch" | "stop" | "finish" | "abort" | "lose";

/**
 * Decides from the order, the last report and the state of the host, so that a restarted agent continues where the old
 * one stopped. A running installer is left to finish even if the upgrade is aborted, because a half-upgraded node is
 * worse; it is stopped only when the coordinator has given up on the node.
 */
export function nextStep(
  order: UpgradeOrder["what"],
  report: Pick<UpgradeReport, "installer" | "attempt">,
  { running, fetched, started, exitCode }: InstallerFacts,
): Step {
  if (exitCode !== undefined) return "finish";
  if (running) return order === "stop" ? "stop" : "watch";
  // Reported as running, it was started, even without a trace on the host: it was stopped at once, or the machine was
  // replaced under the same name.
  if (started || report.installer === "Running") return "lose";
  if (order === "stop") return "nothing";
  // These are final; the coordinator is about to release the node.
  if (report.installer === "Refused" || report.installer === "Aborted") return "nothing";
  if ((report.attempt ?? 0) > 0) return "nothing";
  if (order === "end") return "abort";
  return fetched ? "start" : "fetch";
}

/** After success nobody reads more, and status holds the output of hundreds of nodes. */
const MAX_OUTPUT_AFTER_SUCCESS = 256;

/** The end of an installer's output, cut at a line break, without terminal escape sequences. */
export function lastLines(text: string, exitCode: number | undefined): string {
  const max = exitCode === 0 ? MAX_OUTPUT_AFTER_SUCCESS : MAX_OUTPUT;
  // eslint-disable-next-line no-control-regex
  const plain = text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "").replace(/[^\n\t\x20-\x7e\u00a0-\ufffd]/g, "");
  const trimmed = plain.trimEnd();
  if (trimmed.length <= max) return trimmed;
  const end = trimmed.slice(-max);
  const line = end.indexOf("\n");
  return line === -1 ? end : end.slice(line + 1);
}
