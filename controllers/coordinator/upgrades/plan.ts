// Decides how an upgrade goes on: which nodes begin, what phase it is in, what to do. Pure functions.
import type { NodeUpgradeStatus } from "../../../api";
import type { UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import { selects } from "../selector";
import { preciseTimestamp } from "../timestamp";
import {
  actionsFor,
  advanceNode,
  isInProgress,
  withReport,
  type Action,
  type ClusterState,
} from "./node-plan";
import { isControlPlane, isReady, kubeletVersion } from "./versions";

type Phase = NodeUpgradeStatus["phase"];
/** The state of an upgrade and its next steps. */
export interface UpgradePlan {
  phase: NonNullable<NonNullable<UpgradeObject["status"]>["phase"]>;
  nodes: NodeUpgradeStatus[];
  actions: Action[];
  /** For people: how far it is and what it waits for. */
  message: string;
}

/** The nodes of an upgrade in the order in which they are upgraded: the control plane first. */
export function upgradeOrder({ spec }: UpgradeObject, nodes: readonly Node[]): Node[] {
  return nodes
    .filter(({ metadata }) => selects(spec.nodeSelector, metadata.labels))
    .sort(
      (a, b) =>
        Number(isControlPlane(b)) - Number(isControlPlane(a)) || (a.metadata.name < b.metadata.name ? -1 : 1),
    );
}

/** The entries of nodes when an upgrade begins. */
export function initialEntries(upgrade: UpgradeObject, nodes: readonly Node[]): NodeUpgradeStatus[] {
  return upgradeOrder(upgrade, nodes).map((node) =>
    kubeletVersion(node) === upgrade.spec.version
      ? { name: node.metadata.name, phase: "Done", reason: "AtVersion" }
      : { name: node.metadata.name, phase: "Pending" },
  );
}

/** The entries with those of nodes that joined, or came to fit the selector, since the upgrade began. */
function withNewcomers(
  entries: readonly NodeUpgradeStatus[],
  upgrade: UpgradeObject,
  { nodes }: ClusterState,
): NodeUpgradeStatus[] {
  const known = new Set(entries.map(({ name }) => name));
  const others = [...nodes.values()].filter(({ metadata }) => !known.has(metadata.name));
  return [...entries, ...initialEntries(upgrade, others)];
}

/** Plans the next step of an upgrade, from the state that is observed and not from events. */
export function planUpgrade(upgrade: UpgradeObject, state: ClusterState): UpgradePlan {
  const { spec, metadata, status } = upgrade;
  const ending = isEnding(upgrade);
  const known = (status?.nodes ?? []).map((entry) =>
    withReport(entry, state.nodes.get(entry.name), metadata.uid),
  );
  const entries = ending ? known : withNewcomers(known, upgrade, state);
  const nodes = entries.map((entry) => advanceNode(entry, upgrade, ending, state));
  const failed = nodes.some(({ phase }) => phase === "Failed");
  const working = nodes.filter(isInProgress);
  const stopped = failed && spec.onFailure === "Stop";
  const begun = ending || stopped || spec.paused ? [] : nextNodes(upgrade, nodes, state);
  for (const name of begun) {
    const index = nodes.findIndex((entry) => entry.name === name);
    const node = state.nodes.get(name);
    const at = preciseTimestamp(state.now);
    if (index !== -1 && node !== undefined)
      nodes[index] = {
        name,
        phase: "Cordoning",
        fromVersion: kubeletVersion(node),
        startedAt: at,
        phaseStartedAt: at,
      };
  }
  const pending = nodes.some(({ phase }) => phase === "Pending");
  const busy = working.length > 0 || begun.length > 0;
  const phase = overall({ ending, stopped, failed, paused: spec.paused, pending, busy });
  return {
    phase,
    nodes,
    actions: actionsFor(nodes, upgrade, ending, state),
    message: progressMessage(nodes, state),
  };
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

/** The nodes that may begin now: the control plane alone and one by one, then workers up to the limit. */
function nextNodes(
  { spec }: UpgradeObject,
  entries: readonly NodeUpgradeStatus[],
  { nodes }: ClusterState,
): string[] {
  const ofControlPlane = ({ name }: NodeUpgradeStatus): boolean => {
    const node = nodes.get(name);
    return node !== undefined && isControlPlane(node);
  };
  const waiting = entries.filter(({ phase }) => phase === "Pending");
  const working = entries.filter(isInProgress);
  const first = waiting.filter(ofControlPlane);
  if (first.length > 0 || working.some(ofControlPlane)) {
    const next = first[0];
    const node = next === undefined ? undefined : nodes.get(next.name);
    return working.length > 0 || node === undefined || !isReady(node) ? [] : [node.metadata.name];
  }
  // A node that is not Ready is unavailable too, whatever the reason: it counts, and does not begin.
  const ready = waiting.filter(({ name }) => isReadyNamed(nodes, name));
  const unavailable =
    working.length +
    entries.filter(
      (entry) => !isInProgress(entry) && nodes.has(entry.name) && !isReadyNamed(nodes, entry.name),
    ).length;
  return ready.slice(0, Math.max(0, spec.maxUnavailable - unavailable)).map(({ name }) => name);
}

function isReadyNamed(nodes: ClusterState["nodes"], name: string): boolean {
  const node = nodes.get(name);
  return node !== undefined && isReady(node);
}

function progressMessage(entries: readonly NodeUpgradeStatus[], { nodes }: ClusterState): string {
  const count = (phase: Phase): number => entries.filter((entry) => entry.phase === phase).length;
  const working = entries.filter(isInProgress).map(({ name, phase }) => `${name} (${phase})`);
  const unready = entries
    .filter(({ name, phase }) => phase === "Pending" && nodes.has(name) && !isReadyNamed(nodes, name))
    .map(({ name }) => name);
  return [
    `${count("Done")} of ${entries.length} nodes are at the version`,
    ...(working.length === 0 ? [] : [`in progress: ${working.slice(0, 5).join(", ")}`]),
    ...(count("Failed") === 0
      ? []
      : [
          `failed: ${entries
            .filter(({ phase }) => phase === "Failed")
            .map(({ name, reason = "" }) => `${name} (${reason})`)
            .slice(0, 5)
            .join(", ")}`,
        ]),
    ...(unready.length === 0 ? [] : [`waiting to be Ready: ${unready.slice(0, 5).join(", ")}`]),
  ].join("; ");
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
