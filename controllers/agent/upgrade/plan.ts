// Decides the next step of an upgrade on this node: pure, from order, report and host.
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

/** The most characters of an installer's own reason that leave the node. */
const MAX_REASON = 256;

/** What may be a credential: what stands where one is given, and any long word that is no digest. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+\S+/gi, "$1 …"],
  [/:\/\/[^\s/@]+@/g, "://…@"],
  [/((?:token|password|passwd|secret|key|credential)s?["']?\s*[=:]\s*)\S+/gi, "$1…"],
  [/(?<!sha256:)(?<![\w+/=-])[\w+/=-]{24,}/g, "…"],
];

/**
 * Why an installer failed, in its own words as far as they may leave the node: its last line that begins with
 * "Refused: ", short and without what may be a credential. All else that it wrote stays on the node, for root alone:
 * everybody who may read Nodes can read what is reported. Empty if there is no such line.
 */
export function reasonIn(output: string): string {
  // eslint-disable-next-line no-control-regex
  const plain = output.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "").replace(/[^\n\x20-\x7e\u00a0-\ufffd]/g, "");
  const line = plain.split("\n").findLast((one) => one.startsWith("Refused: ")) ?? "";
  const redacted = SECRETS.reduce(
    (text, [pattern, instead]) => text.replace(pattern, instead),
    line.trimEnd(),
  );
  return redacted.length > MAX_REASON ? `${redacted.slice(0, MAX_REASON - 1)}…` : redacted;
}
