import { isNotFound, resourceName, resourcePath, type ApiClient, type KubernetesObject } from "../../runtime";
import { isOwn, MANAGED_BY, PRODUCT } from "../../app/ownership";
import type { Account } from "./account";
import { nameOf } from "./manifest";
import { kindName } from "../../workload";
import { inOrder } from "./install-order";
import { CONTROLLER, definedBy, isOf, type MappedManifest } from "./rest-mapping";
import type { InstallFailure } from "./install-error";
import { failureOf } from "./api-failure";

/** With the value `true` on a Plugin, its definitions and namespaces go even if others have objects in them. */
export const ALLOW_DATA_LOSS = "fleetwright.dev/allow-data-loss";

/** What is still there of what should go. */
export interface Remainder {
  /** What was asked to go and is not gone yet. */
  waitingFor: string[];
  /** What cannot go. */
  problems: InstallFailure[];
}

/** How objects are removed. */
export interface RemovalOptions {
  plugin: string;
  account: Account;
  /** Looks into namespaces with the coordinator's own rights. */
  coordinator: ApiClient;
  allowDataLoss: boolean;
}

/**
 * Removes objects in the reverse of the order in which they were installed. What is not this Plugin's stays. Whatever has
 * pods or finalizers is waited for before what it needs goes; what cannot go stops nothing but itself.
 */
export async function removeAll(
  targets: readonly MappedManifest[],
  { plugin, account, coordinator, allowDataLoss }: RemovalOptions,
  signal: AbortSignal,
): Promise<Remainder> {
  const left: Remainder = { waitingFor: [], problems: [] };
  const groups = inOrder(
    targets.map((target) => ({
      ...target,
      apiVersion: target.manifest.apiVersion,
      kind: target.manifest.kind,
    })),
  );
  for (const group of groups.reverse()) {
    for (const { manifest, resource } of [...group].reverse()) {
      try {
        const live = await account.get(resource, manifest.metadata, signal);
        if (live === undefined || !isOf(plugin, live)) continue;
        if (live.metadata.deletionTimestamp === undefined) {
          const block = allowDataLoss
            ? undefined
            : await blockOf({ ...manifest, ...live }, account, coordinator, signal);
          if (block !== undefined) {
            left.problems.push({ reason: "InUse", message: `${nameOf(manifest)} ${block}` });
            continue;
          }
          await account.delete(resource, live, signal);
        }
        const after = await account.get(resource, manifest.metadata, signal);
        if (after?.metadata.uid === live.metadata.uid)
          left.waitingFor.push(`${nameOf(manifest)}${held(after)}`);
      } catch (error) {
        const problem = failureOf(error, manifest, resource, account.name);
        if (problem === undefined) throw error;
        left.problems.push(problem);
      }
    }
    if (left.waitingFor.length > 0) break;
  }
  return left;
}

function held(object: KubernetesObject | undefined): string {
  const finalizers = (object?.metadata.finalizers ?? []).filter((name) => name !== "foregroundDeletion");
  return finalizers.length === 0 ? "" : ` (held by ${finalizers.join(", ")})`;
}

const FIX = `delete them, or annotate the Plugin with ${ALLOW_DATA_LOSS}=true to have them deleted too.`;

/** Why an object that holds others cannot go: what somebody else has in it would go too. */
async function blockOf(
  object: MappedManifest["manifest"],
  account: Account,
  coordinator: ApiClient,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (kindName(object) === "Namespace") {
    const found = await othersIn(object.metadata.name, coordinator, signal);
    return found.length === 0
      ? undefined
      : `has ${found.slice(0, 3).join(", ")} that this Plugin did not install: ${FIX}`;
  }
  const [made] = definedBy(object);
  if (made === undefined) return undefined;
  const items = await list(account.reader, resourcePath(made), signal);
  if (items.length === 0) return undefined;
  const names = items
    .slice(0, 3)
    .map(
      ({ metadata }) => `${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`,
    );
  return `still has ${resourceName(made)} that this Plugin did not install, such as ${names.join(", ")}: ${FIX}`;
}

/** What in a namespace would be missed; the rest of a namespace is made by Kubernetes or by us. */
const MISSED: readonly (readonly [kind: string, plural: string])[] = [
  ["Pod", "pods"],
  ["PersistentVolumeClaim", "persistentvolumeclaims"],
  ["Service", "services"],
  ["ConfigMap", "configmaps"],
  ["Secret", "secrets"],
];

async function othersIn(namespace: string, client: ApiClient, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  for (const [kind, plural] of MISSED) {
    const items = await list(client, `/api/v1/namespaces/${namespace}/${plural}`, signal);
    for (const item of items) {
      const ours = isOwn(item, CONTROLLER) || item.metadata.labels?.[MANAGED_BY] === PRODUCT;
      const derived =
        (item.metadata.ownerReferences ?? []).length > 0 || item.metadata.name === "kube-root-ca.crt";
      if (!ours && !derived) found.push(`${kind} ${item.metadata.name}`);
    }
  }
  return found;
}

async function list(client: ApiClient, path: string, signal: AbortSignal): Promise<KubernetesObject[]> {
  try {
    const { items } = await client.request<{ items: KubernetesObject[] }>({
      method: "GET",
      path,
      query: { limit: 50 },
      signal,
    });
    return items;
  } catch (error) {
    // A definition that was never established serves nothing.
    if (isNotFound(error)) return [];
    throw error;
  }
}
