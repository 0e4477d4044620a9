// Reads from the cluster what an upgrade depends on and what no informer holds.
import type { LabelSelector } from "../../../api";
import { isNotFound, type ApiClient, type KubernetesObject } from "../../runtime";
import { CONFIG_MAPS } from "../native-resources";
import type { Pod } from "./drain";

/** A PodDisruptionBudget, as far as it is looked at. */
export interface Budget extends KubernetesObject {
  spec?: { selector?: LabelSelector };
  status?: { disruptionsAllowed?: number; expectedPods?: number };
}

/** What the stack recorded about the cluster. */
export interface StackRecord {
  /** As `project/stack`. */
  stack: string;
  /** The version that its file declares. */
  version?: string | undefined;
  /** The version that it lets a ClusterUpgrade bring the cluster to. */
  upgradeTo?: string | undefined;
}

const PAGE = 500;

/** The pods of a node. Listed when needed: a cache of all pods would be most of the memory on a large cluster. */
export async function podsOn(client: ApiClient, node: string, signal: AbortSignal): Promise<Pod[]> {
  const query = { fieldSelector: `spec.nodeName=${node}` };
  const { items } = await client.request<{ items: Pod[] | null }>({
    method: "GET",
    path: "/api/v1/pods",
    query,
    signal,
  });
  return items ?? [];
}

/** All pods of the cluster, a page at a time: together they might be most of the memory. */
export async function* allPods(client: ApiClient, signal: AbortSignal): AsyncGenerator<Pod[]> {
  let next: string | undefined;
  do {
    const query = { limit: PAGE, ...(next === undefined ? {} : { continue: next }) };
    const page = await client.request<{ items: Pod[] | null; metadata?: { continue?: string } }>({
      method: "GET",
      path: "/api/v1/pods",
      query,
      signal,
    });
    yield page.items ?? [];
    next = page.metadata?.continue === "" ? undefined : page.metadata?.continue;
  } while (next !== undefined);
}

/** All PodDisruptionBudgets. */
export async function allBudgets(client: ApiClient, signal: AbortSignal): Promise<Budget[]> {
  const path = "/apis/policy/v1/poddisruptionbudgets";
  return (await client.request<{ items: Budget[] | null }>({ method: "GET", path, signal })).items ?? [];
}

/** The nodes on which an agent is Ready. */
export async function nodesWithAgent(
  client: ApiClient,
  namespace: string,
  signal: AbortSignal,
): Promise<Set<string>> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const query = { labelSelector: "app.kubernetes.io/name=fleetwright-agent" };
  const { items } = await client.request<{ items: Pod[] | null }>({ method: "GET", path, query, signal });
  const isReady = ({ metadata, status }: Pod): boolean =>
    metadata.deletionTimestamp === undefined &&
    (status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false);
  return new Set((items ?? []).filter(isReady).flatMap(({ spec }) => spec?.nodeName ?? []));
}

/** What the stack that manages the cluster declared; undefined if no stack does. */
export async function stackRecord(
  client: ApiClient,
  namespace: string,
  signal: AbortSignal,
): Promise<StackRecord | undefined> {
  try {
    const { data = {} } = await client.get(CONFIG_MAPS, { namespace, name: "fleetwright-stack" }, signal);
    const { project = "", stack = "", version, upgradeTo } = data;
    return { stack: `${project}/${stack}`, version, upgradeTo };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The version of the API server. */
export async function serverVersion(client: ApiClient, signal: AbortSignal): Promise<string> {
  return (
    (await client.request<{ gitVersion?: string }>({ method: "GET", path: "/version", signal })).gitVersion ??
    ""
  );
}

/** When RKE2 made the newest good snapshot of etcd; it keeps a list of them in a ConfigMap. */
export async function newestSnapshot(client: ApiClient, signal: AbortSignal): Promise<number | undefined> {
  try {
    const { data = {} } = await client.get(
      CONFIG_MAPS,
      { namespace: "kube-system", name: "rke2-etcd-snapshots" },
      signal,
    );
    const times = Object.values(data).flatMap(snapshotTime);
    return times.length === 0 ? undefined : Math.max(...times);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function snapshotTime(text: string): number[] {
  try {
    const { createdAt, status } = JSON.parse(text) as { createdAt?: unknown; status?: unknown };
    const time = typeof createdAt === "string" ? Date.parse(createdAt) : Number.NaN;
    return Number.isNaN(time) || status === "failed" ? [] : [time];
  } catch {
    return [];
  }
}

/** Static pods of the control plane on a node that are not at the version yet. */
export function oldComponents(pods: readonly Pod[], version: string): string[] {
  // Tags of images have no "+".
  const tag = version.replace("+", "-");
  return pods
    .filter(
      ({ metadata }) => metadata.namespace === "kube-system" && metadata.labels?.tier === "control-plane",
    )
    .filter(({ metadata }) => /^kube-(apiserver|controller-manager|scheduler)-/.test(metadata.name))
    .filter(({ spec }) => !(spec?.containers ?? []).some(({ image = "" }) => hasTag(image, tag)))
    .map(({ metadata }) => metadata.name);
}

// A tag may go on after the version, such as with the date of its build; r10 is not r1 that goes on.
function hasTag(image: string, tag: string): boolean {
  const found = image.split("@")[0]?.split(":").pop() ?? "";
  return found.startsWith(tag) && !/^[0-9]/.test(found.slice(tag.length));
}
