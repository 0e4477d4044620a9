// The conditions and status fields of a Plugin.
import type { PluginObject } from "../kinds";
import { conditionTrue, conditionFalse, type ConditionState } from "../../app/status";
import type { Kept } from "./account";
import { healthOf, type Health } from "../../workload";
import { without } from "./manifest";
import type { RestMapping } from "./rest-mapping";
import type { InstallFailure } from "./install-error";
import type { JobRecord, JobStatus, Revision } from "./revision";

type Status = NonNullable<PluginObject["status"]>;
type Installed = NonNullable<Status["inventory"]>[number];

/** What one reconcile of a Plugin found. */
export interface Findings {
  revisions: readonly Revision[];
  /** The newest of them. */
  current: Revision | undefined;
  mapping: RestMapping;
  /** What came of each object, by its id. */
  kept: ReadonlyMap<string, Kept>;
  /** What stands in the way of the version that is wanted. */
  problem: InstallFailure | undefined;
  /** What is waited for. */
  waitingFor: string | undefined;
  paused: boolean;
}

/** What is written to the status of a Plugin. */
export interface PluginStatusUpdate {
  conditions: Record<"Ready" | "Applied" | "Healthy", ConditionState>;
  fields: Omit<Status, "conditions" | "observedGeneration">;
}

/** The status of a Plugin. */
export function statusOf({ spec }: PluginObject, findings: Findings): PluginStatusUpdate {
  const { revisions, current, problem } = findings;
  const inventory = inventoryOf(findings);
  const ready = inventory.filter(({ health }) => health === "Healthy").length;
  const installed = revisions.findLast(({ progress }) => progress.outcome === "Succeeded");
  const Applied = applied(findings, inventory.length);
  const Healthy = healthy(inventory);
  const Ready = Applied.status === "True" ? Healthy : Applied;
  return {
    conditions: { Ready, Applied, Healthy },
    fields: {
      phase: phaseOf(findings, installed),
      version: installed?.version,
      revision: installed?.revision,
      ready,
      total: inventory.length,
      history: revisions
        .slice(-50)
        .map(({ revision, version, digest, progress: { appliedAt, outcome } }) => ({
          revision,
          version,
          digest,
          appliedAt,
          outcome,
        })),
      jobs: jobsOf(revisions, problem === undefined ? spec.version : (current?.version ?? spec.version)),
      inventory,
    },
  };
}

function inventoryOf({ mapping, kept }: Findings): Installed[] {
  const entry = (
    { apiVersion, kind, metadata }: RestMapping["mapped"][number]["manifest"],
    health: Health,
  ): Installed => ({
    apiVersion,
    kind,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    name: metadata.name,
    health: health.health,
    ...(health.message === undefined ? {} : { message: health.message.slice(0, 512) }),
  });
  return [
    ...mapping.mapped.map(({ manifest, id }) => entry(manifest, healthOfObject(manifest, kept.get(id)))),
    ...mapping.unmapped.map(({ manifest, problem }) =>
      entry(manifest, { health: "Unknown", message: problem.message }),
    ),
  ];
}

function healthOfObject(
  { apiVersion, kind }: { apiVersion: string; kind: string },
  found: Kept | undefined,
): Health {
  if (found?.live === undefined)
    return { health: "Missing", message: found?.problem?.message ?? "It does not exist yet." };
  const health = healthOf({ apiVersion, kind, ...found.live });
  if (found.problem === undefined || health.health !== "Healthy") return health;
  return { health: "Unhealthy", message: found.problem.message };
}

function applied({ current, problem, waitingFor, paused }: Findings, total: number): ConditionState {
  if (paused)
    return conditionFalse(
      "Paused",
      "Paused: nothing is applied, pruned or repaired. Set spec.paused to false to continue.",
    );
  if (problem !== undefined) return conditionFalse(problem.reason, problem.message);
  if (current === undefined || waitingFor !== undefined || current.progress.outcome !== "Succeeded")
    return conditionFalse("Applying", `Waiting for ${waitingFor ?? "the next reconcile"}.`);
  const how = current.rollback ? " (rolled back)" : "";
  return conditionTrue("Applied", `Version ${current.version}${how} is installed with ${total} objects.`);
}

function healthy(inventory: readonly Installed[]): ConditionState {
  const ill = inventory.filter(({ health }) => health !== "Healthy");
  if (ill.length === 0) return conditionTrue("Healthy", `All ${inventory.length} objects are healthy.`);
  const list = ill
    .slice(0, 5)
    .map(
      ({ kind, namespace, name, message = "" }) =>
        `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}: ${message}`,
    );
  const more = ill.length > 5 ? ` And ${ill.length - 5} more.` : "";
  const waits = ill.every(({ health }) => health === "Progressing");
  return conditionFalse(
    waits ? "Progressing" : "Unhealthy",
    `${ill.length} of ${inventory.length} objects are not healthy. ${list.join(" ")}${more}`,
  );
}

function phaseOf(
  { current, problem, waitingFor }: Findings,
  installed: Revision | undefined,
): NonNullable<Status["phase"]> {
  if (problem !== undefined && problem.transient !== true)
    return current === undefined ? "Pending" : "Failed";
  if (current === undefined) return "Pending";
  if (current.progress.outcome === "Succeeded" && waitingFor === undefined) return "Installed";
  if (current.rollback) return "RollingBack";
  return installed === undefined ? "Installing" : "Upgrading";
}

function jobsOf(revisions: readonly Revision[], version: string): JobStatus[] {
  const records = revisions
    .flatMap(({ progress }) => progress.jobs)
    .filter((record) => record.version === version);
  const newest = new Map<string, JobRecord>();
  for (const record of records) newest.set(`${record.when} ${record.name}`, record);
  return [...newest.values()].slice(0, 32).map((record) => without(record, "uid"));
}
