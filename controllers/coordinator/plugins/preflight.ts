import { isNamespaceGone } from "../ownership";
import type { Account } from "./account";
import { groupOf, isRecord, nameOf } from "./manifest";
import { JOBS } from "./job";
import type { Placed, Placement } from "./placing";
import { PluginError, type Problem } from "./problem";
import { problemOf } from "./refusal";
import { describeMissing, mayNotImpersonate, missingRights, neededRights, type Right } from "./rights";

const RBAC = "rbac.authorization.k8s.io";

/**
 * Says what would go wrong before anything is changed: kinds that are not there, rights that are missing, rights that would
 * be given without being held, and objects of others. Throws with all of one sort at once.
 */
export async function preflight(
  plugin: string,
  { placed, unplaced }: Placement,
  jobs: { namespace: string; count: number },
  account: Account,
  signal: AbortSignal,
): Promise<void> {
  throwIfAny(unplaced.map(({ problem }) => problem).filter(({ passing }) => passing !== true));
  throwIfAny(twice(placed));
  const forJobs: Right[] =
    jobs.count === 0
      ? []
      : [{ verbs: ["get", "create", "delete"], resource: JOBS, namespace: jobs.namespace, name: undefined }];
  const missing = await reviewed(account, [...neededRights(placed), ...forJobs], signal);
  if (missing.length > 0)
    throw new PluginError("Forbidden", `Nothing was changed. ${describeMissing(account.name, missing)}`);
  throwIfAny(await escalations(placed, account, signal));
  const foreign: Problem[] = [];
  for (const one of placed) {
    const { problem } = await account.look(plugin, one, signal);
    if (problem?.reason === "ForeignObject") foreign.push(problem);
  }
  throwIfAny(foreign);
}

async function reviewed(account: Account, rights: readonly Right[], signal: AbortSignal): Promise<Right[]> {
  try {
    return await missingRights(account.reader, rights, signal);
  } catch (error) {
    const refused = mayNotImpersonate(error, account.name);
    throw refused === undefined ? error : new PluginError(refused.reason, refused.message);
  }
}

function throwIfAny(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const list = problems.slice(0, 5).map(({ message }) => message);
  const more = problems.length > 5 ? ` And ${problems.length - 5} more.` : "";
  throw new PluginError(first.reason, `Nothing was changed. ${list.join(" ")}${more}`);
}

function twice(placed: readonly Placed[]): Problem[] {
  const seen = new Set<string>();
  return placed.flatMap(({ id, manifest }) => {
    if (seen.has(id))
      return [
        {
          reason: "SourceInvalid",
          message: `${nameOf(manifest)} stands in the manifests twice: remove one.`,
        },
      ];
    seen.add(id);
    return [];
  });
}

/** Roles and bindings are tried: only the server knows whether the account holds what they give. */
async function escalations(
  placed: readonly Placed[],
  account: Account,
  signal: AbortSignal,
): Promise<Problem[]> {
  const own = new Set(placed.map(({ manifest }) => `${manifest.kind}/${manifest.metadata.name}`));
  const problems: Problem[] = [];
  for (const { manifest, resource } of placed) {
    if (groupOf(manifest) !== RBAC) continue;
    // What a role of the plugin itself gives is judged with that role.
    const { roleRef } = manifest;
    if (isRecord(roleRef) && own.has(`${String(roleRef.kind)}/${String(roleRef.name)}`)) continue;
    try {
      await account.reader.patch(resource, manifest.metadata, manifest, {
        type: "apply",
        query: { fieldManager: "fleetwright-plugins-preflight", force: true, dryRun: "All" },
        signal,
      });
    } catch (error) {
      // Its namespace may be one of the plugin's own.
      if (isNamespaceGone(error)) continue;
      const problem = problemOf(error, manifest, resource, account.name);
      if (problem === undefined) throw error;
      problems.push(problem);
    }
  }
  return problems;
}
