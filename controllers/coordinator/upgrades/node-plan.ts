// Decides what happens next to each node of an upgrade. Pure functions; the whole upgrade is planned in plan.ts.
import type { NodeUpgradeStatus } from "../../../api";
import { orderOn, reportOn, type UpgradeOrder } from "../../../api/upgrade-annotations";
import type { UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import { selects } from "../selector";
import { preciseTimestamp } from "../timestamp";
import { isReady, kubeletVersion } from "./versions";

type Phase = NodeUpgradeStatus["phase"];
/** The phases in which a node is cordoned or about to be. */
const IN_PROGRESS: readonly Phase[] = ["Cordoning", "Draining", "Upgrading", "Verifying", "Uncordoning"];
/** States of an installer that will not bring the node to the version, with the reason and message for the node. */
const UNDONE: ReadonlyMap<string, readonly [reason: string, message: string]> = new Map([
  ["Refused", ["InstallerRefused", "The agent did not run the installer."]],
  ["Aborted", ["Aborted", "The upgrade was aborted before the installer was run."]],
  ["Lost", ["InstallerLost", "The installer was started, but its result is unknown."]],
]);
/** On a node: the uid of the upgrade that cordoned it. Only such a node is uncordoned again. */
export const CORDONED_BY = "fleetwright.dev/cordoned-by";

/** Whether a node is being upgraded. */
export function isInProgress({ phase }: NodeUpgradeStatus): boolean {
  return IN_PROGRESS.includes(phase);
}

/** The state of the cluster from which the next step is decided. */
export interface ClusterState {
  nodes: ReadonlyMap<string, Node>;
  /** For nodes that are draining: whether they are empty, and what they wait for. */
  drains: ReadonlyMap<string, { empty: boolean; waitingFor: readonly string[] }>;
  /** For nodes that are verifying: control plane components that are not at the version yet. */
  oldComponents: ReadonlyMap<string, readonly string[]>;
  now: number;
}

/** What to do on a node after the status was written. */
export type Action =
  | { what: "cordon" | "uncordon"; node: string }
  | { what: "order"; node: string; order: UpgradeOrder["what"] };

/** Takes one node a step further, from the state that is observed and not from events. */
export function advanceNode(
  entry: NodeUpgradeStatus,
  upgrade: UpgradeObject,
  ending: boolean,
  state: ClusterState,
): NodeUpgradeStatus {
  const { spec, metadata } = upgrade;
  const { now } = state;
  const node = state.nodes.get(entry.name);
  const to = (phase: Phase, reason?: string, message?: string): NodeUpgradeStatus => ({
    ...entry,
    phase,
    phaseStartedAt: preciseTimestamp(now),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message: message.slice(0, 1024) }),
    ...(phase === "Done" || phase === "Failed" || phase === "Skipped"
      ? { completedAt: preciseTimestamp(now) }
      : {}),
  });
  const selected = node !== undefined && selects(spec.nodeSelector, node.metadata.labels);
  if (entry.phase === "Skipped" && selected && !ending && isBack(entry))
    return { name: entry.name, phase: "Pending" };
  if (entry.phase === "Done" || entry.phase === "Failed" || entry.phase === "Skipped") return entry;
  if (node === undefined) return to("Skipped", "NodeGone", "The node no longer exists.");
  if (entry.phase === "Pending") {
    if (kubeletVersion(node) === spec.version) return to("Done", "AtVersion");
    return selected ? entry : to("Skipped", "NotSelected", "The node no longer matches spec.nodeSelector.");
  }
  if (entry.phase === "Uncordoning") {
    if (node.metadata.annotations?.[CORDONED_BY] === metadata.uid) return entry;
    // Not before its agent got the order to stop: a node that has failed is not looked at again.
    const order = orderOn(node);
    if (isGivenUp(entry) && order !== undefined && order.uid === metadata.uid && order.what !== "stop")
      return entry;
    if (entry.reason === "Upgraded") return to("Done", "Upgraded", "");
    return to(entry.reason === "Aborted" ? "Skipped" : "Failed", entry.reason, entry.message);
  }
  if (ending && (entry.phase === "Cordoning" || entry.phase === "Draining"))
    return to("Uncordoning", "Aborted", "The upgrade was aborted.");
  if (isOverdue(entry.startedAt, spec.nodeTimeoutSeconds, now))
    return to(
      "Uncordoning",
      "Timeout",
      `The node took more than ${spec.nodeTimeoutSeconds} s and was ${entry.phase}${entry.message ? `: ${entry.message}` : ""}.`,
    );
  if (entry.phase === "Cordoning") return node.spec?.unschedulable === true ? to("Draining") : entry;
  if (entry.phase === "Draining") {
    const drain = state.drains.get(entry.name);
    if (drain?.empty === true) return to("Upgrading");
    const waiting = `Waiting for ${drain?.waitingFor.slice(0, 5).join("; ") ?? "its pods"}.`;
    if (!isOverdue(entry.phaseStartedAt, spec.drain.timeoutSeconds, now))
      return { ...entry, reason: "Draining", message: waiting.slice(0, 1024) };
    return spec.drain.onTimeout === "Proceed"
      ? to("Upgrading", "DrainTimeout", waiting)
      : to("Uncordoning", "DrainTimeout", waiting);
  }
  const arrived = kubeletVersion(node) === spec.version;
  if (entry.phase === "Upgrading") {
    if (entry.exitCode !== undefined && entry.exitCode !== 0)
      return to(
        "Uncordoning",
        "InstallerFailed",
        `The installer ended with ${entry.exitCode}; status.nodes has the last lines of its output.`,
      );
    if (arrived) return to("Verifying");
    const [reason, otherwise] = entry.installer === undefined ? [] : (UNDONE.get(entry.installer) ?? []);
    return reason === undefined ? entry : to("Uncordoning", reason, entry.installerMessage ?? otherwise);
  }
  const old = state.oldComponents.get(entry.name) ?? [];
  if (arrived && isReady(node) && old.length === 0) return to("Uncordoning", "Upgraded");
  const missing = [
    ...(arrived ? [] : ["the kubelet"]),
    ...(isReady(node) ? [] : ["the node to be Ready"]),
    ...old,
  ];
  return { ...entry, reason: "Verifying", message: `Waiting for ${missing.join(", ")}.` };
}

// A node that was skipped because it did not exist or was not selected gets its turn when it is back, unless its agent
// has already worked on it.
function isBack({ reason, attempt }: NodeUpgradeStatus): boolean {
  return attempt === undefined && (reason === "NodeGone" || reason === "NotSelected");
}

/** The entry with the agent's report from its Node; the last report counts, also when the Node is gone. */
export function withReport(
  entry: NodeUpgradeStatus,
  node: Node | undefined,
  uid: string | undefined,
): NodeUpgradeStatus {
  const report = reportOn(node);
  if (report === undefined || report.uid !== uid) return entry;
  const { attempt, exitCode, output, installer, installerMessage } = report;
  const reported = { ...entry, attempt, exitCode, output, installer, installerMessage };
  return Object.fromEntries(
    Object.entries(reported).filter(([, value]) => value !== undefined),
  ) as NodeUpgradeStatus;
}

function isOverdue(since: string | undefined, seconds: number, now: number): boolean {
  const at = Date.parse(since ?? "");
  return !Number.isNaN(at) && now - at > seconds * 1000;
}

function isGivenUp({ phase, reason }: NodeUpgradeStatus): boolean {
  return phase === "Uncordoning" && reason === "Timeout";
}

function orderFor(
  entry: NodeUpgradeStatus,
  ending: boolean,
  had: UpgradeOrder["what"] | undefined,
): UpgradeOrder["what"] | undefined {
  if (entry.phase === "Upgrading") return ending ? "end" : "run";
  return had !== undefined && isGivenUp(entry) ? "stop" : undefined;
}

/** What to do on the nodes of an upgrade, given their entries. */
export function actionsFor(
  entries: readonly NodeUpgradeStatus[],
  { metadata }: UpgradeObject,
  ending: boolean,
  { nodes }: ClusterState,
): Action[] {
  return entries.flatMap((entry): Action[] => {
    const { name, phase } = entry;
    const node = nodes.get(name);
    if (node === undefined) return [];
    const cordoned = node.spec?.unschedulable === true;
    if ((phase === "Cordoning" || phase === "Draining") && !cordoned) return [{ what: "cordon", node: name }];
    const there = orderOn(node);
    const had = there !== undefined && there.uid === metadata.uid ? there.what : undefined;
    const order = orderFor(entry, ending, had);
    return [
      ...(order === undefined || order === had ? [] : [{ what: "order" as const, node: name, order }]),
      ...(phase === "Uncordoning" && node.metadata.annotations?.[CORDONED_BY] === metadata.uid
        ? [{ what: "uncordon" as const, node: name }]
        : []),
    ];
  });
}
