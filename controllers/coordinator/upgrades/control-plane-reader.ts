// Asks the API server how the control plane is. No informer holds its pods: they are looked at for minutes, once in months.
import { ApiError, errorMessage, isNotFound, LEASES, type ApiClient } from "../../runtime";
import type { Pod } from "./drain";
import type { ControlPlaneFacts } from "./quorum";

/** So long an answer is good. */
const MAX_AGE_MS = 1000;

/**
 * A kubelet renews its lease every ten seconds. A node whose machine died is called Ready until forty have passed, and its pods as well: time enough
 * to take the next server out of a cluster that has just lost one.
 */
const SILENT_MS = 15_000;

/** Reads the state of the control plane, at most once a second. */
export class ControlPlaneReader {
  readonly #client: ApiClient;
  readonly #servers: () => string[];
  readonly #renewals = new Map<string, { renewTime: string; seen: number }>();
  #last: { at: number; facts: ControlPlaneFacts } | undefined;

  /** `servers` names the nodes of the control plane. */
  constructor(client: ApiClient, servers: () => string[]) {
    this.#client = client;
    this.#servers = servers;
  }

  /** What is known now. What cannot be asked is a problem of the control plane, and never an error of the upgrade. */
  async look(signal: AbortSignal): Promise<ControlPlaneFacts> {
    const { clock } = this.#client;
    if (this.#last !== undefined && clock.monotonic() - this.#last.at < MAX_AGE_MS) return this.#last.facts;
    const [pods, unready, silent] = await Promise.all([
      this.#pods(signal),
      this.#unready(signal),
      this.#silent(signal),
    ]);
    const facts: ControlPlaneFacts =
      typeof pods === "string"
        ? { pods: [], problems: [pods, ...unready], silent }
        : { pods, problems: unready, silent };
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

  /** The nodes whose lease is there and has not been renewed, with the seconds since then. */
  async #silent(signal: AbortSignal): Promise<Map<string, number>> {
    const found = await Promise.all(
      this.#servers().map(async (name) => ({ name, renewTime: await this.#renewTime(name, signal) })),
    );
    const now = this.#client.clock.monotonic();
    const newest = Math.max(...found.map(({ renewTime }) => Date.parse(renewTime ?? "") || 0));
    const silent = new Map<string, number>();
    for (const { name, renewTime } of found) {
      if (renewTime === undefined) continue;
      const known = this.#renewals.get(name);
      // Seen for the first time, it is as old as it is beside the newest. After that our own clock counts, whatever theirs say.
      const seen =
        known === undefined
          ? now - Math.max(0, newest - Date.parse(renewTime))
          : known.renewTime === renewTime
            ? known.seen
            : now;
      this.#renewals.set(name, { renewTime, seen });
      if (now - seen > SILENT_MS) silent.set(name, Math.round((now - seen) / 1000));
    }
    for (const name of this.#renewals.keys())
      if (!found.some((one) => one.name === name)) this.#renewals.delete(name);
    return silent;
  }

  /** When a kubelet renewed its lease; undefined if it has none, or if nobody can say. */
  async #renewTime(name: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const lease = await this.#client.get(LEASES, { namespace: "kube-node-lease", name }, signal);
      return lease.spec?.renewTime ?? undefined;
    } catch (error) {
      signal.throwIfAborted();
      // Without an answer it is as old as it was: time goes on.
      return isNotFound(error) ? undefined : this.#renewals.get(name)?.renewTime;
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
