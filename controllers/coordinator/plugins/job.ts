import { createHash } from "node:crypto";
import { isAlreadyExists, type KubernetesObject, type ReconcileContext, type Resource } from "../../runtime";
import type { PluginObject } from "../kinds";
import { timestamp } from "../timestamp";
import type { Account } from "./account";
import { healthOf } from "../../workload";
import { isOf, pluginLabels } from "./rest-mapping";
import type { InstallFailure } from "./install-error";
import { failureOf } from "./api-failure";
import type { JobRecord, Revision } from "./revision";

/** A Job, as far as it is looked at. */
export interface Job extends KubernetesObject {
  spec?: object;
}

/** Jobs. */
export const JOBS: Resource<Job> = {
  group: "batch",
  version: "v1",
  kind: "Job",
  plural: "jobs",
  namespaced: true,
};

type JobSpec = PluginObject["spec"]["jobs"]["before"][number];
/** Whether a job runs before or after the manifests are applied. */
export type When = JobRecord["when"];

/** How far the jobs are. */
export type JobsOutcome = "done" | { waitingFor: string } | { problem: InstallFailure };

/** The Job for a job of a Plugin: one for each version and attempt, whoever makes it and however often. */
export function jobFor({ metadata, spec }: PluginObject, when: When, job: JobSpec): Job {
  const { version, namespace, jobs } = spec;
  const id = createHash("sha256")
    .update(JSON.stringify([metadata.uid, when, job.name, version, jobs.attempt]))
    .digest("hex")
    .slice(0, 10);
  const base = `${metadata.name}-${job.name}`.replace(/\./g, "-").slice(0, 52).replace(/-+$/, "");
  const labels = pluginLabels(metadata.name);
  const { image, command, args, env } = job;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { namespace, name: `${base}-${id}`, labels },
    spec: {
      activeDeadlineSeconds: job.timeoutSeconds,
      backoffLimit: job.backoffLimit,
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: "Never",
          serviceAccountName: job.serviceAccountName,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          containers: [
            {
              name: job.name,
              image,
              ...(command === undefined ? {} : { command }),
              ...(args === undefined ? {} : { args }),
              env,
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
            },
          ],
        },
      },
    },
  };
}

/** Whether a record is of the version and attempt that the Plugin asks for. */
export function isCurrent({ spec }: PluginObject, record: JobRecord): boolean {
  return record.version === spec.version && record.attempt === spec.jobs.attempt;
}

/** What there is to do the jobs of a Plugin with. */
export interface JobContext {
  plugin: PluginObject;
  account: Account;
  revisions: readonly Revision[];
  /** Keeps how a job went. */
  note: (record: JobRecord) => Promise<void>;
}

/** Runs jobs one after another, each only if the one before succeeded, and each once for a version and attempt. */
export async function runJobs(
  when: When,
  { plugin, account, revisions, note }: JobContext,
  { signal, clock }: Pick<ReconcileContext, "signal" | "clock">,
): Promise<JobsOutcome> {
  const records = revisions
    .flatMap(({ progress }) => progress.jobs)
    .filter((record) => isCurrent(plugin, record));
  for (const job of plugin.spec.jobs[when === "Before" ? "before" : "after"]) {
    const known = records.find((record) => record.when === when && record.name === job.name);
    if (known?.outcome === "Succeeded") continue;
    if (known?.outcome === "Failed") return { problem: failure(known) };
    const wanted = jobFor(plugin, when, job);
    const record: JobRecord = known ?? {
      name: job.name,
      when,
      version: plugin.spec.version,
      attempt: plugin.spec.jobs.attempt,
      job: jobReference(wanted),
      outcome: "Running",
      startedAt: timestamp(clock.now()),
      uid: "",
    };
    let live: Job | undefined;
    try {
      live = await account.get(JOBS, wanted.metadata, signal);
      if (live === undefined && record.uid === "") {
        // Told before it is done: whoever removes the plugin after a crash knows that there may be a Job.
        await note(record);
        live = await created(account, wanted, signal);
      }
    } catch (error) {
      const problem = failureOf(
        error,
        { ...wanted, apiVersion: "batch/v1", kind: "Job" },
        JOBS,
        account.name,
      );
      if (problem === undefined) throw error;
      return { problem };
    }
    if (live !== undefined && !isOf(plugin.metadata.name, live))
      return {
        problem: {
          reason: "ForeignObject",
          message: `The Job ${jobReference(wanted)} exists and is not this plugin's: delete it.`,
        },
      };
    const after = evaluated(record, live, clock.now());
    await note(after);
    if (after.outcome === "Failed") return { problem: failure(after) };
    if (after.outcome === "Running") return { waitingFor: `the job ${after.name} (${after.job})` };
  }
  return "done";
}

async function created(account: Account, wanted: Job, signal: AbortSignal): Promise<Job | undefined> {
  try {
    return await account.create(JOBS, wanted, signal);
  } catch (error) {
    if (isAlreadyExists(error)) return account.get(JOBS, wanted.metadata, signal);
    throw error;
  }
}

function evaluated(record: JobRecord, live: Job | undefined, now: number): JobRecord {
  const completedAt = timestamp(now);
  if (live === undefined || (record.uid !== "" && live.metadata.uid !== record.uid))
    return { ...record, outcome: "Failed", completedAt, message: "Its Job was deleted before it finished." };
  const found = { ...record, uid: live.metadata.uid ?? "" };
  const { health, message = "" } = healthOf({ ...live, apiVersion: "batch/v1", kind: "Job" });
  if (health === "Healthy") return { ...found, outcome: "Succeeded", completedAt };
  if (health === "Unhealthy")
    return { ...found, outcome: "Failed", completedAt, message: message.slice(0, 512) };
  return found;
}

function failure({ name, when, version, job, message = "" }: JobRecord): InstallFailure {
  const [namespace = "", object = ""] = job.split("/");
  const kept =
    when === "Before"
      ? "Nothing of the version was applied."
      : "The version was applied; what it no longer has is kept.";
  return {
    reason: "JobFailed",
    message: `The job ${name} for ${version} failed: ${message} ${kept} See kubectl logs -n ${namespace} job/${object}; when the cause is gone, raise spec.jobs.attempt, or go back by spec.rollbackTo.`,
  };
}

function jobReference({ metadata }: Job): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
