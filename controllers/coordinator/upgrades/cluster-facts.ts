import {
  apiVersionOf,
  ApiError,
  isNotFound,
  type ApiClient,
  type KubernetesObject,
  type Resource,
} from "../../runtime";
import { CONFIG_MAPS } from "../native";
import type { Pod } from "./drain";

interface Budget extends KubernetesObject {
  status?: { disruptionsAllowed?: number; expectedPods?: number };
}

const PODS: Resource<Pod> = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };

/** The pods of a node. Asked for when needed: a copy of all pods would be most of the memory on a large cluster. */
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

/** Budgets that cover pods and allow none of them to go now. */
export async function blockingBudgets(client: ApiClient, signal: AbortSignal): Promise<string[]> {
  const path = "/apis/policy/v1/poddisruptionbudgets";
  const { items } = await client.request<{ items: Budget[] | null }>({ method: "GET", path, signal });
  return (items ?? [])
    .filter(({ status }) => status?.disruptionsAllowed === 0 && (status.expectedPods ?? 0) > 0)
    .map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name}`);
}

/** What the API server says of its version. */
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

/** Asks for a pod to go. Undefined if it will, else why it may not now. */
export async function evict(
  client: ApiClient,
  pod: Pod,
  graceSeconds: number | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace = "", name, uid } = pod.metadata;
  const body = {
    apiVersion: apiVersionOf({ ...PODS, group: "policy" }),
    kind: "Eviction",
    metadata: { namespace, name },
    deleteOptions: {
      preconditions: { uid },
      ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
    },
  };
  try {
    await client.request({
      method: "POST",
      path: `/api/v1/namespaces/${namespace}/pods/${name}/eviction`,
      body,
      signal,
    });
    return undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    // Another pod took its name; the one that was meant is gone.
    if (error instanceof ApiError && error.code === 409) return undefined;
    if (!(error instanceof ApiError) || error.code !== 429) throw error;
    const causes = (error.status.details?.causes ?? [])
      .map(({ message = "" }) => message)
      .filter((text) => text !== "");
    return `${namespace}/${name}: ${causes.join(" ") || (error.status.message ?? "a budget forbids it")}`;
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
