// Asks the API server how the control plane is. No informer holds its pods: they are looked at for minutes, once in months.
import { ApiError, errorMessage, type ApiClient } from "../../runtime";
import type { Pod } from "./drain";
import type { ControlPlaneFacts } from "./quorum";

/** So long an answer is good. */
const MAX_AGE_MS = 1000;

/** Reads the state of the control plane, at most once a second. */
export class ControlPlaneReader {
  readonly #client: ApiClient;
  #last: { at: number; facts: ControlPlaneFacts } | undefined;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** What is known now. What cannot be asked is a problem of the control plane, and never an error of the upgrade. */
  async look(signal: AbortSignal): Promise<ControlPlaneFacts> {
    const { clock } = this.#client;
    if (this.#last !== undefined && clock.monotonic() - this.#last.at < MAX_AGE_MS) return this.#last.facts;
    const [pods, unready] = await Promise.all([this.#pods(signal), this.#unready(signal)]);
    const facts: ControlPlaneFacts =
      typeof pods === "string" ? { pods: [], problems: [pods, ...unready] } : { pods, problems: unready };
    this.#last = { at: clock.monotonic(), facts };
    return facts;
  }

  async #pods(signal: AbortSignal): Promise<Pod[] | string> {
    try {
      const path = "/api/v1/namespaces/kube-system/pods";
      const query = { labelSelector: "tier=control-plane" };
      const { items } = await this.#client.request<{ items: Pod[] | null }>({
        method: "GET",
        path,
        query,
        signal,
      });
      return items ?? [];
    } catch (error) {
      signal.throwIfAborted();
      return `the pods of the control plane cannot be listed: ${errorMessage(error)}`;
    }
  }

  /** What the API server says against itself: "etcd failed", for example. */
  async #unready(signal: AbortSignal): Promise<string[]> {
    try {
      await this.#client.text({ method: "GET", path: "/readyz", signal });
      return [];
    } catch (error) {
      signal.throwIfAborted();
      // Whoever may not ask has at least an API server that answers.
      if (error instanceof ApiError && error.code < 500) return [];
      return [`the API server is not ready: ${errorMessage(error)}`];
    }
  }
}
