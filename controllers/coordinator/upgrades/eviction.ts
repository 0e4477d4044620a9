import { ApiError, isNotFound, type ApiClient } from "../../runtime";
import type { DrainPlan, Pod } from "./drain";

/** What came of evicting the pods of one node. */
export interface EvictionResult {
  /** How many pods were evicted. */
  evicted: number;
  /** Why others were not, as `namespace/name: reason`. */
  refusals: string[];
}

/** Evicts the pods that a drain plan names. `client` must return "429 Too Many Requests" instead of retrying it. */
export async function evictPods(
  client: ApiClient,
  { evict: pods }: DrainPlan,
  graceSeconds: number | undefined,
  signal: AbortSignal,
): Promise<EvictionResult> {
  const refusals: string[] = [];
  // One after another: of two pods under one budget the second must see that the first is gone.
  for (const pod of pods) {
    const refusal = await evict(client, pod, graceSeconds, signal);
    if (refusal !== undefined) refusals.push(refusal);
  }
  return { evicted: pods.length - refusals.length, refusals };
}

/** Evicts a pod. Gives the reason if it may not be evicted now. */
async function evict(
  client: ApiClient,
  pod: Pod,
  graceSeconds: number | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace = "", name, uid } = pod.metadata;
  const body = {
    apiVersion: "policy/v1",
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
    // Another pod has taken its name; the one that was meant is gone.
    if (error instanceof ApiError && error.code === 409) return undefined;
    if (!(error instanceof ApiError) || error.code !== 429) throw error;
    const causes = (error.status.details?.causes ?? [])
      .map(({ message = "" }) => message)
      .filter((text) => text !== "");
    return `${namespace}/${name}: ${causes.join(" ") || (error.status.message ?? "a PodDisruptionBudget forbids it")}`;
  }
}
