// Evicts pods. Whatever speaks against an eviction is an answer to be recorded, never an end of the upgrade.
import { ApiError, errorMessage, type ApiClient } from "../../runtime";
import type { DrainPlan, Pod } from "./drain";

/** What came of evicting the pods of one node. */
export interface EvictionResult {
  /** How many pods were evicted. */
  evicted: number;
  /** Why others were not, as `namespace/name: reason`. */
  refusals: string[];
}

/** How pods are evicted. */
export interface EvictionOptions {
  graceSeconds: number | undefined;
  signal: AbortSignal;
  /** Asked before each pod: an upgrade that was aborted meanwhile evicts no more. */
  isWanted: () => boolean;
}

/** Evicts the pods that a drain plan names. `client` must return "429 Too Many Requests" instead of retrying it. */
export async function evictPods(
  client: ApiClient,
  { evict: pods }: Pick<DrainPlan, "evict">,
  { graceSeconds, signal, isWanted }: EvictionOptions,
): Promise<EvictionResult> {
  const result: EvictionResult = { evicted: 0, refusals: [] };
  // One after another: of two pods under one budget the second must see that the first is gone.
  for (const pod of pods) {
    if (!isWanted()) break;
    const { namespace = "", name } = pod.metadata;
    const refusal = await evict(client, pod, graceSeconds, signal);
    if (refusal === undefined) result.evicted += 1;
    else result.refusals.push(`${namespace}/${name}: ${refusal.words}`);
    // Each further one would wait as long for its answer.
    if (refusal?.isSlow === true) break;
  }
  return result;
}

interface Refusal {
  words: string;
  /** Whether nobody answered in time. */
  isSlow: boolean;
}

/** Evicts a pod. Gives the reason if it could not be evicted now, whatever it is. */
async function evict(
  client: ApiClient,
  pod: Pod,
  graceSeconds: number | undefined,
  signal: AbortSignal,
): Promise<Refusal | undefined> {
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
    if (!(error instanceof ApiError)) return { words: errorMessage(error), isSlow: true };
    // Gone, or another pod has taken its name: the one that was meant is gone.
    if (error.code === 404 || error.code === 409) return undefined;
    return { words: wordsOf(error), isSlow: error.code === 504 };
  }
}

/** What the server says, and for all but a budget, which is no error, by which code. */
function wordsOf({ code, status }: ApiError): string {
  const causes = (status.details?.causes ?? [])
    .map(({ message = "" }) => message)
    .filter((text) => text !== "");
  const text = causes.join(" ") || (status.message ?? "");
  if (code === 429) return text || "a PodDisruptionBudget forbids it";
  return `the API server answers ${code}: ${text.slice(0, 200) || "no reason given"}`;
}
