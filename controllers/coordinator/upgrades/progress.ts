import type { NodeUpgradeStatus } from "../../../api";
import { orderOn, reportOn, type Order } from "../../handover";
import type { UpgradeObject } from "../kinds";
import type { Node } from "../native";
import { selects } from "../selector";
import { isControlPlane, isReady, kubeletVersion } from "./versions";

type Phase = NodeUpgradeStatus["phase"];
/** The phases in which a node is being worked on, and is cordoned or about to be. */
const IN_WORK: readonly Phase[] = ["Cordoning", "Draining", "Upgrading", "Verifying", "Uncordoning"];
/** What the agent says of an installer that will not bring the node to the version, and what that means for the node. */
const UNDONE: ReadonlyMap<string, readonly [reason: string, message: string]> = new Map([
  ["Refused", ["InstallerRefused", "The agent did not run the installer."]],
  ["Aborted", ["Aborted", "The upgrade was aborted before the installer was run."]],
  ["Lost", ["InstallerLost", "The installer began, and nothing says how it ended."]],
]);
/** Says on a node which upgrade cordoned it, by uid: only such a node is uncordoned again. */
export const CORDONED_BY = "fleetwright.dev/cordoned-by";

/** Whether a node is being worked on. */
export function isInWork({ phase }: NodeUpgradeStatus): boolean {
  return IN_WORK.includes(phase);
}

/** What is known of the cluster when progress is decided. */
export interface Situation {
  nodes: ReadonlyMap<string, Node>;
  /** Of nodes that are draining: whether they are empty, and what they wait for. */
  drains: ReadonlyMap<string, { empty: boolean; waitingFor: readonly string[] }>;
  /** Of nodes that are verifying: control plane components that are not at the version yet. */
  oldComponents: ReadonlyMap<string, readonly string[]>;
  now: number;
}

/** What is to be done on nodes after the status was written. */
export type Action =
  { what: "cordon" | "uncordon"; node: string } | { what: "order"; node: string; order: Order["what"] };

/** How far an upgrade is and what comes next. */
export interface Progress {
  phase: NonNullable<NonNullable<UpgradeObject["status"]>["phase"]>;
  nodes: NodeUpgradeStatus[];
  actions: Action[];
  /** What it waits for, for people. */
  message: string;
}

/** The nodes that an upgrade is about, in the order of their turn: the control plane first. */
export function turnOrder({ spec }: UpgradeObject, nodes: readonly Node[]): Node[] {
  return nodes
    .filter(({ metadata }) => selects(spec.nodeSelector, metadata.labels))
    .sort(
      (a, b) =>
        Number(isControlPlane(b)) - Number(isControlPlane(a)) || (a.metadata.name < b.metadata.name ? -1 : 1),
    );
}

/** The entries of nodes when an upgrade begins. */
export function firstEntries(upgrade: UpgradeObject, nodes: readonly Node[]): NodeUpgradeStatus[] {
  return turnOrder(upgrade, nodes).map((node) =>
    kubeletVersion(node) === upgrade.spec.version
      ? { name: node.metadata.name, phase: "Done", reason: "AtVersion" }
      : { name: node.metadata.name, phase: "Pending" },
  );
}

/** The entries with those of nodes that joined, or came to fit the selector, since the upgrade began. */
function withNewcomers(
  entries: readonly NodeUpgradeStatus[],
  upgrade: UpgradeObject,
  { nodes }: Situation,
): NodeUpgradeStatus[] {
  const known = new Set(entries.map(({ name }) => name));
  const others = [...nodes.values()].filter(({ metadata }) => !known.has(metadata.name));
  return [...entries, ...firstEntries(upgrade, others)];
}

/** Takes an upgrade that runs one step further, from what is and not from what happened. */
export function advance(upgrade: UpgradeObject, situation: Situation): Progress {
  const { spec, metadata, status } = upgrade;
  const ending = spec.aborted || metadata.deletionTimestamp !== undefined;
  const known = (status?.nodes ?? []).map((entry) =>
    withReport(entry, situation.nodes.get(entry.name), metadata.uid),
  );
  const entries = ending ? known : withNewcomers(known, upgrade, situation);
  const nodes = entries.map((entry) => advanceNode(entry, upgrade, ending, situation));
  const failed = nodes.some(({ phase }) => phase === "Failed");
  const working = nodes.filter(isInWork);
  const stopped = failed && spec.onFailure === "Stop";
  const begun = ending || stopped || spec.paused ? [] : nextNodes(upgrade, nodes, situation);
  for (const name of begun) {
    const index = nodes.findIndex((entry) => entry.name === name);
    const node = situation.nodes.get(name);
    const at = moment(situation.now);
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
    actions: actionsFor(nodes, upgrade, ending, situation),
    message: describe(nodes, situation),
  };
}

function overall(
  facts: Record<"ending" | "stopped" | "failed" | "paused" | "pending" | "busy", boolean>,
): Progress["phase"] {
  if (facts.ending) return facts.busy ? "Aborting" : facts.pending || facts.failed ? "Aborted" : "Succeeded";
  if (facts.busy) return "Running";
  if (facts.stopped) return "Failed";
  if (facts.pending) return facts.paused ? "Paused" : "Running";
  return facts.failed ? "Failed" : "Succeeded";
}

/** The nodes that may be begun now: the control plane alone and one by one, then workers up to the limit. */
function nextNodes(
  { spec }: UpgradeObject,
  entries: readonly NodeUpgradeStatus[],
  { nodes }: Situation,
): string[] {
  const ofControlPlane = ({ name }: NodeUpgradeStatus): boolean => {
    const node = nodes.get(name);
    return node !== undefined && isControlPlane(node);
  };
  const waiting = entries.filter(({ phase }) => phase === "Pending");
  const working = entries.filter(isInWork);
  const first = waiting.filter(ofControlPlane);
  if (first.length > 0 || working.some(ofControlPlane)) {
    const next = first[0];
    const node = next === undefined ? undefined : nodes.get(next.name);
    return working.length > 0 || node === undefined || !isReady(node) ? [] : [node.metadata.name];
  }
  // A node that is not ready is unavailable too, whatever the reason: it counts, and is not begun.
  const ready = waiting.filter(({ name }) => isReadyNamed(nodes, name));
  const unavailable =
    working.length +
    entries.filter((entry) => !isInWork(entry) && nodes.has(entry.name) && !isReadyNamed(nodes, entry.name))
      .length;
  return ready.slice(0, Math.max(0, spec.maxUnavailable - unavailable)).map(({ name }) => name);
}

function isReadyNamed(nodes: Situation["nodes"], name: string): boolean {
  const node = nodes.get(name);
  return node !== undefined && isReady(node);
}

function advanceNode(
  entry: NodeUpgradeStatus,
  upgrade: UpgradeObject,
  ending: boolean,
  situation: Situation,
): NodeUpgradeStatus {
  const { spec, metadata } = upgrade;
  const { now } = situation;
  const node = situation.nodes.get(entry.name);
  const to = (phase: Phase, reason?: string, message?: string): NodeUpgradeStatus => ({
    ...entry,
    phase,
    phaseStartedAt: moment(now),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message: message.slice(0, 1024) }),
    ...(phase === "Done" || phase === "Failed" || phase === "Skipped" ? { completedAt: moment(now) } : {}),
  });
  const selected = node !== undefined && selects(spec.nodeSelector, node.metadata.labels);
  if (entry.phase === "Skipped" && selected && !ending && isBack(entry))
    return { name: entry.name, phase: "Pending" };
  if (entry.phase === "Done" || entry.phase === "Failed" || entry.phase === "Skipped") return entry;
  if (node === undefined) return to("Skipped", "NodeGone", "The node is no longer there.");
  if (entry.phase === "Pending") {
    if (kubeletVersion(node) === spec.version) return to("Done", "AtVersion");
    return selected ? entry : to("Skipped", "NotSelected", "The node no longer fits spec.nodeSelector.");
  }
  if (entry.phase === "Uncordoning") {
    if (node.metadata.annotations?.[CORDONED_BY] === metadata.uid) return entry;
    // Not before its agent is told to stop: nobody looks at the node any more once it has failed.
    const order = orderOn(node);
    if (isGivenUp(entry) && order !== undefined && order.uid === metadata.uid && order.what !== "stop")
      return entry;
    if (entry.reason === "Upgraded") return to("Done", "Upgraded", "");
    return to(entry.reason === "Aborted" ? "Skipped" : "Failed", entry.reason, entry.message);
  }
  if (ending && (entry.phase === "Cordoning" || entry.phase === "Draining"))
    return to("Uncordoning", "Aborted", "The upgrade was aborted.");
  if (late(entry.startedAt, spec.nodeTimeoutSeconds, now))
    return to(
      "Uncordoning",
      "Timeout",
      `The node took more than ${spec.nodeTimeoutSeconds} s and was ${entry.phase}${entry.message ? `: ${entry.message}` : ""}.`,
    );
  if (entry.phase === "Cordoning") return node.spec?.unschedulable === true ? to("Draining") : entry;
  if (entry.phase === "Draining") {
    const drain = situation.drains.get(entry.name);
    if (drain?.empty === true) return to("Upgrading");
    const waiting = `Waiting for ${drain?.waitingFor.slice(0, 5).join("; ") ?? "its pods"}.`;
    if (!late(entry.phaseStartedAt, spec.drain.timeoutSeconds, now))
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
  const old = situation.oldComponents.get(entry.name) ?? [];
  if (arrived && isReady(node) && old.length === 0) return to("Uncordoning", "Upgraded");
  const missing = [
    ...(arrived ? [] : ["the kubelet"]),
    ...(isReady(node) ? [] : ["the node to be Ready"]),
    ...old,
  ];
  return { ...entry, reason: "Verifying", message: `Waiting for ${missing.join(", ")}.` };
}

// A node that was skipped because it was not there, or was not meant, has its turn when it is again. One that its agent
// has worked on already has had it.
function isBack({ reason, attempt }: NodeUpgradeStatus): boolean {
  return attempt === undefined && (reason === "NodeGone" || reason === "NotSelected");
}

// What the agent says of itself it says on its Node; what it said last counts, also when the Node is gone.
function withReport(
  entry: NodeUpgradeStatus,
  node: Node | undefined,
  uid: string | undefined,
): NodeUpgradeStatus {
  const report = reportOn(node);
  if (report === undefined || report.uid !== uid) return entry;
  const { attempt, exitCode, output, installer, installerMessage } = report;
  const told = { ...entry, attempt, exitCode, output, installer, installerMessage };
  return Object.fromEntries(
    Object.entries(told).filter(([, value]) => value !== undefined),
  ) as NodeUpgradeStatus;
}

function late(since: string | undefined, seconds: number, now: number): boolean {
  const at = Date.parse(since ?? "");
  return !Number.isNaN(at) && now - at > seconds * 1000;
}

function isGivenUp({ phase, reason }: NodeUpgradeStatus): boolean {
  return phase === "Uncordoning" && reason === "Timeout";
}

function orderFor(
  entry: NodeUpgradeStatus,
  ending: boolean,
  had: Order["what"] | undefined,
): Order["what"] | undefined {
  if (entry.phase === "Upgrading") return ending ? "end" : "run";
  return had !== undefined && isGivenUp(entry) ? "stop" : undefined;
}

function actionsFor(
  entries: readonly NodeUpgradeStatus[],
  { metadata }: UpgradeObject,
  ending: boolean,
  { nodes }: Situation,
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

function describe(entries: readonly NodeUpgradeStatus[], { nodes }: Situation): string {
  const count = (phase: Phase): number => entries.filter((entry) => entry.phase === phase).length;
  const working = entries.filter(isInWork).map(({ name, phase }) => `${name} (${phase})`);
  const unready = entries
    .filter(({ name, phase }) => phase === "Pending" && nodes.has(name) && !isReadyNamed(nodes, name))
    .map(({ name }) => name);
  return [
    `${count("Done")} of ${entries.length} nodes are at the version`,
    ...(working.length === 0 ? [] : [`in work: ${working.slice(0, 5).join(", ")}`]),
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

/** A time as status has it. */
export function moment(ms: number): string {
  return new Date(ms).toISOString();
}
