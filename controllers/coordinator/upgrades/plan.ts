// Decides how an upgrade goes on: which nodes begin, what phase it is in, what to do. Pure functions.
import type { NodeUpgradeStatus } from "../../../api";
import { MAX_FAILED } from "../../../api/upgrade-report";
import type { UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import { preciseTimestamp } from "../timestamp";
import { countNodes, type NodeCounts } from "./counts";
import { entriesOf } from "./entries";
import {
  actionsFor,
  advanceNode,
  isInProgress,
  withReport,
  type Action,
  type ClusterState,
} from "./node-plan";
import { firstFew, progressMessage } from "./progress-message";
import { controlPlaneProblems } from "./quorum";
import { isControlPlane, isReady, kubeletVersion } from "./versions";

/** So long a failed node has to become Ready again, before it is counted as broken. */
const FAILED_GRACE_SECONDS = 300;

/** The state of an upgrade and its next steps. */
export interface UpgradePlan {
  phase: NonNullable<NonNullable<UpgradeObject["status"]>["phase"]>;
  /** Why it stands still, as one word, if it does. */
  reason?: string;
  /** Nodes in work and failed. */
  nodes: NodeUpgradeStatus[];
  actions: Action[];
  total: number;
  done: number;
  /** For people: how far it is and what it waits for. */
  message: string;
}

/** Plans the next step of an upgrade, from the state that is observed and not from events. */
export function planUpgrade(upgrade: UpgradeObject, state: ClusterState): UpgradePlan {
  const { spec, metadata } = upgrade;
  const ending = isEnding(upgrade);
  const nodes = entriesOf(upgrade).flatMap((entry) => {
    const reported = withReport(entry, state.nodes.get(entry.name), metadata.uid);
    return advanceNode(reported, upgrade, ending, state) ?? [];
  });
  const counts = countNodes(upgrade, nodes, state.nodes);
  const total = counts.done + counts.waiting.length + nodes.length - counts.skipped;
  const failures = nodes.filter(({ phase }) => phase === "Failed").length;
  const why = whyItEnds(upgrade, nodes, state);
  const stopped = why !== undefined || (failures > 0 && spec.onFailure === "Stop");
  const { begun, holds } =
    ending || spec.paused || stopped ? NOTHING : nextNodes(upgrade, nodes, counts, state);
  const at = preciseTimestamp(state.now);
  for (const node of begun)
    nodes.push({
      name: node.metadata.name,
      phase: "Draining",
      fromVersion: kubeletVersion(node).slice(0, 64),
      startedAt: at,
      phaseStartedAt: at,
      secondsInWork: 0,
      secondsInPhase: 0,
    });
  const phase = overall({
    ending,
    stopped,
    failed: failures > 0,
    paused: spec.paused,
    pending: counts.waiting.length > begun.length,
    busy: nodes.some(isInProgress),
  });
  return {
    phase,
    ...(phase === "Running" && holds.length > 0 ? { reason: "Held" } : {}),
    nodes: nodes.map((entry) => withSeconds(entry, state)),
    actions: actionsFor(nodes, upgrade, ending, state),
    total,
    done: counts.done,
    message: [
      ...progressMessage(nodes, counts, total),
      ...(why === undefined ? [] : [why]),
      ...(holds.length === 0 ? [] : [`no other node is begun, because ${firstFew(holds)}`]),
    ].join("; "),
  };
}

function withSeconds(entry: NodeUpgradeStatus, { elapsed }: ClusterState): NodeUpgradeStatus {
  if (entry.startedAt === undefined) return entry;
  const { work, phase } = elapsed(entry);
  return { ...entry, secondsInWork: Math.floor(work), secondsInPhase: Math.floor(phase) };
}

function overall(
  facts: Record<"ending" | "stopped" | "failed" | "paused" | "pending" | "busy", boolean>,
): UpgradePlan["phase"] {
  if (facts.ending) return facts.busy ? "Aborting" : facts.pending || facts.failed ? "Aborted" : "Succeeded";
  if (facts.busy) return "Running";
  if (facts.stopped) return "Failed";
  if (facts.pending) return facts.paused ? "Paused" : "Running";
  return facts.failed ? "Failed" : "Succeeded";
}

/**
 * Why no other node will be begun, whatever should happen on failure; undefined if that is not so. Failed nodes that do not
 * become Ready count as missing, because they are: a cluster is not to lose more nodes than its owner allowed.
 */
function whyItEnds(
  { spec }: UpgradeObject,
  entries: readonly NodeUpgradeStatus[],
  { nodes, elapsed }: ClusterState,
): string | undefined {
  const failed = entries.filter(({ phase }) => phase === "Failed");
  if (failed.length >= MAX_FAILED) return `${failed.length} failures are too many to go on`;
  const broken = failed.flatMap((entry) => {
    const node = nodes.get(entry.name);
    const isBroken = node !== undefined && !isReady(node) && elapsed(entry).phase > FAILED_GRACE_SECONDS;
    return isBroken ? [node] : [];
  });
  const names = broken.map(({ metadata }) => metadata.name);
  const server = broken.find(isControlPlane);
  if (server !== undefined)
    return `${server.metadata.name} of the control plane failed and is not Ready: repair it, and make a new ClusterUpgrade`;
  if (broken.length < spec.maxUnavailable) return undefined;
  return (
    `nodes that failed and are not Ready use up maxUnavailable (${spec.maxUnavailable}): ` +
    `repair or remove ${firstFew(names)}, and make a new ClusterUpgrade`
  );
}

/** Nodes to begin now, or why none may be. */
interface Beginning {
  begun: readonly Node[];
  holds: readonly string[];
}
const NOTHING: Beginning = { begun: [], holds: [] };

/** The nodes that may begin now: the control plane alone and one by one, then workers up to the limit. */
function nextNodes(
  { spec }: UpgradeObject,
  entries: readonly NodeUpgradeStatus[],
  { waiting, unready }: NodeCounts,
  { nodes, controlPlane }: ClusterState,
): Beginning {
  if (waiting.length === 0) return NOTHING;
  if (spec.installer === undefined && spec.digest === undefined) return { begun: [], holds: [NO_DIGEST] };
  const working = entries.filter(isInProgress);
  const isServerNamed = ({ name }: NodeUpgradeStatus): boolean => {
    const node = nodes.get(name);
    return node !== undefined && isControlPlane(node);
  };
  if (working.some(isServerNamed)) return NOTHING;
  const [server] = waiting.filter(isControlPlane).sort(byName);
  if (server !== undefined && working.length > 0) return NOTHING;
  // A node that is not Ready is unavailable too, whatever the reason: it counts, and does not begin.
  const room = server === undefined ? spec.maxUnavailable - working.length - unready.length : 1;
  if (room <= 0) return NOTHING;
  const holds =
    controlPlane === undefined
      ? []
      : controlPlaneProblems([...nodes.values()], controlPlane, server?.metadata.name);
  if (holds.length > 0) return { begun: [], holds };
  if (server !== undefined) return { begun: isReady(server) ? [server] : [], holds: [] };
  const ready = waiting.filter(isReady).sort(byName);
  return { begun: ready.slice(0, room), holds: [] };
}

/** Whether what comes next depends on the state of the control plane. */
export function dependsOnControlPlane(upgrade: UpgradeObject, nodes: ReadonlyMap<string, Node>): boolean {
  if (isEnding(upgrade) && !entriesOf(upgrade).some(isInProgress)) return false;
  return [...nodes.values()].some(isControlPlane);
}

/** Why nothing begins without a digest. */
export const NO_DIGEST =
  "spec.digest is missing: set it to the SHA-256 of rke2.linux-amd64.tar.gz, which stands in sha256sum-amd64.txt of the release";

function byName(a: Node, b: Node): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** Whether an upgrade is to begin nothing new: it is aborted or being deleted. */
export function isEnding({ spec, metadata }: UpgradeObject): boolean {
  return spec.aborted || metadata.deletionTimestamp !== undefined;
}

/** Sorts upgrades by age: the oldest is the one that runs. */
export function olderFirst(a: UpgradeObject, b: UpgradeObject): number {
  const age = ({ metadata }: UpgradeObject): string => `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
  return age(a) < age(b) ? -1 : 1;
}
