// Evaluates a cluster by its heartbeat and its report, and whether it is the hub that is cut off. Pure.
import type { ConditionState } from "../../app/status";
import { isRecord } from "../../runtime";
import type { Report } from "../../syncer/heartbeat";
import type { ClusterObject } from "../kinds";

/** After so many heartbeats that did not come a cluster is lost. */
export const MISSES = 3;
const LEAST_SECONDS = 10;
/** The reasons of the condition Reachable that a lost cluster has. */
export const LOST_REASONS: readonly string[] = ["HeartbeatLost", "HubCutOff"];

/** How often each of so many clusters says that it lives, so that all together say it a hundred times a second at most. */
export function heartbeatSeconds(clusters: number): number {
  return Math.max(LEAST_SECONDS, Math.ceil(clusters / 100));
}

/** A heartbeat as it was first seen here; clocks of others are never compared with ours. */
export interface Seen {
  renewTime: string;
  /** On our own monotonic clock. */
  at: number;
}

/**
 * A heartbeat that is seen for the first time, by a process that has just begun. Of a cluster that was lost before it says nothing
 * new: only the next one does.
 */
export function firstSeen(renewTime: string, wasLost: boolean, seconds: number, now: number): Seen {
  return { renewTime, at: wasLost ? now - MISSES * seconds * 1000 : now };
}

/** Since when a cluster is lost, on our clock; undefined if it is not. */
export function lostSince(seen: Seen | undefined, seconds: number, now: number): number | undefined {
  if (seen === undefined) return undefined;
  const end = seen.at + MISSES * seconds * 1000;
  return now >= end ? end : undefined;
}

/**
 * Whether a cluster was lost together with more than a third of all: then it is the hub that lost the network, and nobody is
 * moved. One alone is never all.
 */
export function isHubCutOff(
  since: number,
  others: readonly (number | undefined)[],
  seconds: number,
): boolean {
  const window = MISSES * seconds * 1000;
  const together = others.filter((other) => other !== undefined && Math.abs(other - since) <= window).length;
  return together >= 2 && together > others.length / 3;
}

/** What is known of a cluster. */
export interface Facts {
  report: Report | undefined;
  /** Whether a heartbeat was ever seen. */
  hasBeaten: boolean;
  isLost: boolean;
  isHubCutOff: boolean;
  shares: { applied: number; total: number };
  /** Imports that say that the cluster does not fit. */
  incompatible: readonly string[];
  imports: number;
}

const yes = (reason: string, message: string): ConditionState => ({ status: "True", reason, message });
const no = (reason: string, message: string): ConditionState => ({ status: "False", reason, message });
const unknown = (reason: string, message: string): ConditionState => ({ status: "Unknown", reason, message });

/** The conditions of a cluster. */
export function conditionsOf(
  { metadata, spec }: ClusterObject,
  facts: Facts,
): Record<string, ConditionState> {
  const Accepted = spec.accepted
    ? yes("Accepted", "It belongs to the fleet.")
    : no(
        "NotAccepted",
        `Nothing goes to it and it reads nothing: accept it by kubectl patch cluster ${metadata.name} --type=merge -p '{"spec":{"accepted":true}}'.`,
      );
  const Reachable = reachable(spec.connection.mode, facts);
  return {
    Ready: ready(Accepted, Reachable, facts),
    Reachable,
    Accepted,
    APIsCompatible: compatible(facts),
    Draining: draining(spec.drain, facts.shares.total),
  };
}

function reachable(
  mode: string,
  { report, hasBeaten, isLost, isHubCutOff: isCutOff }: Facts,
): ConditionState {
  const unanswered =
    report?.unanswered === undefined
      ? ""
      : ` What it last said: the member does not answer: ${report.unanswered}`;
  if (!hasBeaten)
    return unknown(
      "NeverHeard",
      (mode === "push"
        ? "Its syncer has not reached it yet: see the log of the hub's controllers."
        : "Its syncer has not called yet: see the log of the syncer, and whether its token has expired.") +
        unanswered,
    );
  if (isLost && isCutOff)
    return unknown(
      "HubCutOff",
      "It was lost together with more than a third of all clusters, so that it is the hub that is cut off: nothing is moved. See the hub's network.",
    );
  if (isLost)
    return no(
      "HeartbeatLost",
      `Its syncer missed ${MISSES} heartbeats: see the syncer's log, the cluster's API server and the network between.${unanswered}`,
    );
  return yes("Heartbeat", "Its syncer says that it answers.");
}

function ready(accepted: ConditionState, isReachable: ConditionState, { report }: Facts): ConditionState {
  if (accepted.status !== "True") return no(accepted.reason, accepted.message);
  if (isReachable.status !== "True") return { ...isReachable };
  const [problem, ...more] = report?.problems ?? ["Its report cannot be read."];
  if (problem !== undefined)
    return no(
      "SyncerNotReady",
      `${problem}${more.length > 0 ? ` And ${more.length} more, see the syncer's /readyz.` : ""}`,
    );
  const orphans = report?.orphans ?? [];
  return yes(
    "Synced",
    orphans.length === 0
      ? "It is in step with the hub."
      : `It is in step with the hub. These came from the hub and have no Share any more; they are kept: ${orphans.join(", ")}.`,
  );
}

function compatible({ imports, incompatible }: Facts): ConditionState {
  if (imports === 0) return unknown("NothingImported", "No kind was imported from it.");
  return incompatible.length === 0
    ? yes("Compatible", `All ${imports} kinds that were imported from it fit.`)
    : no("Incompatible", `${incompatible.slice(0, 10).join(", ")}: see kubectl get apiresourceimports.`);
}

function draining(isDraining: boolean, shares: number): ConditionState {
  if (!isDraining) return no("NotDraining", "Nobody asked for it.");
  return shares > 0
    ? yes("Draining", `${shares} Shares are still there.`)
    : no("Drained", "Nothing of the hub is there any more.");
}

/** A report as the syncer wrote it; of what a member says, only what has the right form and size is taken. */
export function reportOf(text: string | undefined): Report | undefined {
  if (text === undefined || text.length > 65_536) return undefined;
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(found)) return undefined;
  const nodes = isRecord(found.nodes) ? found.nodes : {};
  const count = (value: unknown): number | undefined =>
    typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
  const [ready, total] = [count(nodes.ready), count(nodes.total)];
  return {
    problems: texts(found.problems, 20, 512) ?? ["Its report cannot be read."],
    unanswered: short(found.unanswered, 512),
    version: short(found.version, 64),
    uid: short(found.uid, 64),
    endpoint: short(found.endpoint, 2048),
    nodes: ready === undefined || total === undefined ? undefined : { ready, total },
    capacity: amounts(found.capacity),
    allocatable: amounts(found.allocatable),
    synced: texts(found.synced, 2000, 317) ?? [],
    orphans: texts(found.orphans, 20, 512) ?? [],
    certificateExpires: time(found.certificateExpires),
  };
}

function short(value: unknown, longest: number): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, longest) : undefined;
}

function texts(value: unknown, most: number, longest: number): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .filter((one): one is string => typeof one === "string" && one !== "")
    .slice(0, most)
    .map((one) => one.slice(0, longest));
}

function amounts(value: unknown): Record<string, string> | undefined {
  if (!isRecord(value)) return undefined;
  const good = Object.entries(value).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === "string" && /^[0-9.]+[A-Za-z]{0,2}$/.test(entry[1]),
  );
  return Object.fromEntries(good.slice(0, 32));
}

function time(value: unknown): string | undefined {
  const at = typeof value === "string" ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? undefined : new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}
