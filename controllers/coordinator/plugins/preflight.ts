import { isNamespaceGone } from "../../app/ownership";
import type { Account } from "./account";
import { groupOf, isRecord, nameOf } from "./manifest";
import { JOBS } from "./job";
import type { MappedManifest, RestMapping } from "./rest-mapping";
import { InstallError, type InstallFailure } from "./install-error";
import { failureOf } from "./api-failure";
import { describeMissing, mayNotImpersonate, missingRights, neededRights, type Right } from "./permissions";

const RBAC = "rbac.authorization.k8s.io";

/**
 * Says what would go wrong before anything is changed: kinds that are not there, rights that are missing, rights that would
 * be given without being held, and objects of others. Throws with all of one sort at once.
 */
export async function preflight(
  plugin: string,
  { mapped, unmapped }: RestMapping,
  jobs: { namespace: string; count: number },
  account: Account,
  signal: AbortSignal,
): Promise<void> {
  throwIfAny(unmapped.map(({ problem }) => problem).filter(({ transient }) => transient !== true));
  throwIfAny(twice(mapped));
  const forJobs: Right[] =
    jobs.count === 0
      ? []
      : [{ verbs: ["get", "create", "delete"], resource: JOBS, namespace: jobs.namespace, name: undefined }];
  const missing = await reviewed(account, [...neededRights(mapped), ...forJobs], signal);
  if (missing.length > 0)
    throw new InstallError("Forbidden", `Nothing was changed. ${describeMissing(account.name, missing)}`);
  throwIfAny(await escalations(mapped, account, signal));
  const foreign: InstallFailure[] = [];
  for (const one of mapped) {
    const { problem } = await account.inspect(plugin, one, signal);
    if (problem?.reason === "ForeignObject") foreign.push(problem);
  }
  throwIfAny(foreign);
}

async function reviewed(account: Account, rights: readonly Right[], signal: AbortSignal): Promise<Right[]> {
  try {
    return await missingRights(account.reader, rights, signal);
  } catch (error) {
    const refused = mayNotImpersonate(error, account.name);
    throw refused === undefined ? error : new InstallError(refused.reason, refused.message);
  }
}

function throwIfAny(problems: readonly InstallFailure[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const list = problems.slice(0, 5).map(({ message }) => message);
  const more = problems.length > 5 ? ` And ${problems.length - 5} more.` : "";
  throw new InstallError(first.reason, `Nothing was changed. ${list.join(" ")}${more}`);
}

function twice(mapped: readonly MappedManifest[]): InstallFailure[] {
  const seen = new Set<string>();
  return mapped.flatMap(({ id, manifest }) => {
    if (seen.has(id))
      return [
        {
          reason: "SourceInvalid",
          message: `${nameOf(manifest)} is in the manifests twice: remove one.`,
        },
      ];
    seen.add(id);
    return [];
  });
}

/** Roles and bindings are tried: only the server knows whether the account holds what they give. */
async function escalations(
  mapped: readonly MappedManifest[],
  account: Account,
  signal: AbortSignal,
): Promise<InstallFailure[]> {
  const own = new Set(mapped.map(({ manifest }) => `${manifest.kind}/${manifest.metadata.name}`));
  const problems: InstallFailure[] = [];
  for (const { manifest, resource } of mapped) {
    if (groupOf(manifest) !== RBAC) continue;
    // What a role of the plugin itself gives is checked with that role.
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
      const problem = failureOf(error, manifest, resource, account.name);
      if (problem === undefined) throw error;
      problems.push(problem);
    }
  }
  return problems;
}
