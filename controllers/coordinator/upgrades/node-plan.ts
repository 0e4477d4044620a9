// Decides what happens next to each node of an upgrade. Pure functions; the whole upgrade is planned in plan.ts.
import type { NodeUpgradeStatus } from "../../../api";
import { orderOn, reportOn, type UpgradeOrder } from "../../../api/upgrade-annotations";
import type { UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import { preciseTimestamp } from "../timestamp";
import { oldComponents } from "./cluster-facts";
import { problemsOf, type ControlPlaneFacts } from "./quorum";
import type { Elapsed } from "./stopwatch";
import { isControlPlane, isReady, kubeletVersion } from "./versions";

type Phase = NodeUpgradeStatus["phase"];
/** The phases in which a node is cordoned or about to be. */
const IN_PROGRESS: readonly Phase[] = ["Draining", "Upgrading", "Verifying", "Uncordoning"];
/** What status holds of any one text: 70 nodes in work and failed have to fit into it. */
const MAX_WORDS = 256;
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

/** How far the pods of a node are from being gone. */
export interface DrainProgress {
  empty: boolean;
  waitingFor: readonly string[];
}

/** The state of the cluster from which the next step is decided. */
export interface ClusterState {
  nodes: ReadonlyMap<string, Node>;
  /** For nodes that are draining. */
  drains: ReadonlyMap<string, DrainProgress>;
  /** Of the control plane; undefined if the cluster shows none, or if nothing depends on it now. */
  controlPlane: ControlPlaneFacts | undefined;
  /** How long a node has been in work; by no wall clock. */
  elapsed: (entry: NodeUpgradeStatus) => Elapsed;
  /** For what people read. */
  now: number;
}

/** What to do on a node after the status was written. */
export type Action =
  | { what: "cordon" | "uncordon"; node: string }
  | { what: "order"; node: string; order: UpgradeOrder["what"] };

/**
 * Takes one node a step further, from the state that is observed and not from events. Gives undefined when there is nothing
 * left to remember: the Node itself says whether it is at the version.
 */
export function advanceNode(
  entry: NodeUpgradeStatus,
  upgrade: UpgradeObject,
  ending: boolean,
  state: ClusterState,
): NodeUpgradeStatus | undefined {
  const { spec, metadata } = upgrade;
  const { now } = state;
  const node = state.nodes.get(entry.name);
  const elapsed = state.elapsed(entry);
  const to = (phase: Phase, reason?: string, message?: string): NodeUpgradeStatus => ({
    ...entry,
    phase,
    phaseStartedAt: preciseTimestamp(now),
    secondsInPhase: 0,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message: message.slice(0, MAX_WORDS) }),
    ...(phase === "Failed" || phase === "Skipped" ? { completedAt: preciseTimestamp(now) } : {}),
  });
  if (entry.phase === "Failed") return entry;
  if (entry.phase === "Skipped")
    return node !== undefined && kubeletVersion(node) === spec.version ? undefined : entry;
  if (node === undefined)
    // One that its agent may have worked on does not get another turn under the same name.
    return isHandedOver(entry) ? to("Skipped", "NodeGone", "The node no longer exists.") : undefined;
  if (entry.phase === "Uncordoning") {
    if (isCordonedBy(node, metadata.uid)) return entry;
    if (entry.reason === "Upgraded" || entry.reason === "Aborted") return undefined;
    // Not before its agent got the order to stop: a node that has failed is not looked at again.
    const order = orderOn(node);
    if (isGivenUp(entry) && order !== undefined && order.uid === metadata.uid && order.what !== "stop")
      return entry;
    return to("Failed", entry.reason, entry.message);
  }
  if (ending && entry.phase === "Draining") return to("Uncordoning", "Aborted", "The upgrade was aborted.");
  if (elapsed.work > spec.nodeTimeoutSeconds)
    return to(
      "Uncordoning",
      "Timeout",
      `The node took more than ${spec.nodeTimeoutSeconds} s and was ${entry.phase}${entry.message ? `: ${entry.message}` : ""}.`,
    );
  if (entry.phase === "Draining") {
    const drain = state.drains.get(entry.name);
    if (drain?.empty === true) return to("Upgrading", "Drained", "");
    const { waitingFor = [] } = drain ?? {};
    const waiting = `Waiting for ${waitingFor.length === 0 ? "its pods" : waitingFor.slice(0, 5).join("; ")}.`;
    if (elapsed.phase <= spec.drain.timeoutSeconds)
      return { ...entry, reason: "Draining", message: waiting.slice(0, MAX_WORDS) };
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
        `The installer ended with ${entry.exitCode}. ${entry.installerMessage ?? ""}`.trimEnd(),
      );
    const [reason, otherwise] = entry.installer === undefined ? [] : (UNDONE.get(entry.installer) ?? []);
    if (!arrived && reason !== undefined)
      return to("Uncordoning", reason, entry.installerMessage ?? otherwise);
    if (!arrived) return entry;
  }
  const missing = missingOn(node, upgrade, state);
  // Uncordoned it is as good as new: no status is needed to come to the same conclusion again.
  if (missing.length === 0) return isCordonedBy(node, metadata.uid) ? entry : undefined;
  const verifying = entry.phase === "Verifying" ? entry : to("Verifying");
  return {
    ...verifying,
    reason: "Verifying",
    message: `Waiting, because ${missing.join(", ")}.`.slice(0, MAX_WORDS),
  };
}

/** What a node lacks to be as it should be after its upgrade. */
function missingOn(
  node: Node,
  { spec }: UpgradeObject,
  { nodes, controlPlane }: Pick<ClusterState, "nodes" | "controlPlane">,
): string[] {
  const { name } = node.metadata;
  const version = kubeletVersion(node);
  const missing = version === spec.version ? [] : [`the kubelet of ${name} is at ${version}`];
  if (!isControlPlane(node)) return isReady(node) ? missing : [...missing, `${name} is not Ready`];
  if (controlPlane === undefined) return [...missing, "the control plane was not looked at yet"];
  const members = [...nodes.values()].filter(isControlPlane);
  const own = controlPlane.pods.filter((pod) => pod.spec?.nodeName === name);
  return [
    ...missing,
    ...oldComponents(own, spec.version).map((pod) => `${pod} is at another version`),
    ...controlPlane.problems,
    ...problemsOf(node, members, controlPlane),
  ];
}

/** Whether an upgrade cordoned a node. */
export function isCordonedBy({ metadata }: Node, uid: string | undefined): boolean {
  return uid !== undefined && metadata.annotations?.[CORDONED_BY] === uid;
}

function isHandedOver({ phase, attempt = 0 }: NodeUpgradeStatus): boolean {
  return attempt > 0 || phase === "Upgrading" || phase === "Verifying";
}

/** The entry with the agent's report from its Node; the last report counts, also when the Node is gone. */
export function withReport(
  entry: NodeUpgradeStatus,
  node: Node | undefined,
  uid: string | undefined,
): NodeUpgradeStatus {
  const report = reportOn(node);
  if (report === undefined || report.uid !== uid || !isInProgress(entry)) return entry;
  const { attempt, exitCode, output, installer, installerMessage } = report;
  const reported = {
    ...entry,
    attempt,
    exitCode,
    // Of one that went well nobody reads it.
    output: exitCode === 0 ? undefined : output?.slice(-MAX_WORDS),
    installer,
    installerMessage: installerMessage?.slice(0, MAX_WORDS),
  };
  return Object.fromEntries(
    Object.entries(reported).filter(([, value]) => value !== undefined),
  ) as NodeUpgradeStatus;
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
  upgrade: UpgradeObject,
  ending: boolean,
  state: Pick<ClusterState, "nodes" | "controlPlane">,
): Action[] {
  const { uid } = upgrade.metadata;
  return entries.flatMap((entry): Action[] => {
    const { name, phase } = entry;
    const node = state.nodes.get(name);
    if (node === undefined) return [];
    if (phase === "Draining")
      return node.spec?.unschedulable === true ? [] : [{ what: "cordon", node: name }];
    const there = orderOn(node);
    const had = there !== undefined && there.uid === uid ? there.what : undefined;
    const order = orderFor(entry, ending, had);
    const isFinished =
      phase === "Uncordoning" ||
      (isHandedOver(entry) && isInProgress(entry) && missingOn(node, upgrade, state).length === 0);
    return [
      ...(order === undefined || order === had ? [] : [{ what: "order" as const, node: name, order }]),
      ...(isFinished && isCordonedBy(node, uid) ? [{ what: "uncordon" as const, node: name }] : []),
    ];
  });
}
