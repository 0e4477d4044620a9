// Runs the syncers of clusters in the mode push inside this process, each with a client and a queue of its own.
import {
  aborted,
  ApiClient,
  credentialsOf,
  errorMessage,
  isNotFound,
  type ReconcileContext,
  type ReconcileResult,
} from "../../runtime";
import { Syncer } from "../../syncer/syncer";
import type { HubContext, HubController } from "../controller-context";
import { clustersIn } from "../informers";
import { SECRETS, type ClusterObject } from "../kinds";
import { memberKubeconfig } from "../member-kubeconfig";

const LOOK_AGAIN_MS = 60_000;
const LIMIT = { perSecond: 200, burst: 400 };

interface Running {
  /** What it was started from: with another kubeconfig it is started anew. */
  from: string;
  stop(): Promise<void>;
}

/** Keeps a syncer running for each accepted cluster in the mode push. */
class PushedSyncers {
  readonly #context: HubContext;
  readonly #find: (name: string) => ClusterObject | undefined;
  readonly #running = new Map<string, Running>();
  /** Aborted as long as this process does not lead. */
  #reign = AbortSignal.abort();

  constructor(context: HubContext, find: (name: string) => ClusterObject | undefined) {
    this.#context = context;
    this.#find = find;
  }

  async reconcile(name: string, { signal, log }: ReconcileContext): Promise<ReconcileResult | undefined> {
    const cluster = this.#find(name);
    const { mode, secretRef } = cluster?.spec.connection ?? {};
    // One that goes still needs its syncer, which clears away in the member.
    if (cluster === undefined || mode !== "push" || secretRef === undefined || !cluster.spec.accepted) {
      await this.#stop(name);
      return undefined;
    }
    const { kubeconfig, problem } = await this.#kubeconfigOf(secretRef, signal);
    if (kubeconfig === undefined) {
      log.error("The cluster cannot be reached.", { problem });
      return { requeueAfterMs: LOOK_AGAIN_MS };
    }
    if (this.#running.get(name)?.from !== kubeconfig) {
      await this.#stop(name);
      if (!this.#reign.aborted) this.#start(name, kubeconfig);
    }
    // Secrets are not watched, so that none but the one that is named is ever read.
    return { requeueAfterMs: LOOK_AGAIN_MS };
  }

  /** Lets syncers run until the signal aborts, and then ends them all: the next leader runs its own. */
  async during(reign: AbortSignal): Promise<void> {
    this.#reign = reign;
    await aborted(reign);
    await Promise.all([...this.#running.keys()].map((name) => this.#stop(name)));
  }

  #start(name: string, kubeconfig: string): void {
    const { manager, client, identity } = this.#context;
    const config = memberKubeconfig(kubeconfig);
    const metrics = manager.metrics.forCluster(name);
    const connection = new ApiClient(credentialsOf(config), {
      rateLimit: LIMIT,
      userAgent: "fleetwright-syncer",
      metrics,
    });
    // Who leads no longer must not write into the member either, also before it has noticed.
    const { election } = manager;
    const member = election === undefined ? connection : connection.guardedBy(() => election.assertLeading());
    const endpoint = config.getCurrentCluster()?.server;
    const syncer = new Syncer({
      cluster: name,
      hub: client,
      member,
      identity,
      log: manager.log,
      metrics,
      ...(endpoint === undefined ? {} : { endpoint }),
    });
    const end = new AbortController();
    const run = syncer.run(end.signal).catch((error: unknown) => {
      manager.log.error("A syncer ended by itself. This is a bug.", {
        cluster: name,
        cause: errorMessage(error),
      });
    });
    this.#running.set(name, {
      from: kubeconfig,
      async stop() {
        end.abort();
        await run;
        connection.close();
        manager.log.info("The syncer of a cluster was stopped.", { cluster: name });
      },
    });
  }

  async #stop(name: string): Promise<void> {
    const running = this.#running.get(name);
    this.#running.delete(name);
    await running?.stop();
  }

  async #kubeconfigOf(
    { name, namespace }: { name: string; namespace: string },
    signal: AbortSignal,
  ): Promise<{ kubeconfig?: string; problem?: string }> {
    try {
      const secret = await this.#context.client.get(SECRETS, { name, namespace }, signal);
      const text = Buffer.from(secret.data?.kubeconfig ?? "", "base64").toString("utf8");
      if (text === "")
        return {
          problem: `Secret ${namespace}/${name} has no key kubeconfig: put the cluster's kubeconfig there.`,
        };
      memberKubeconfig(text);
      return { kubeconfig: text };
    } catch (error) {
      if (isNotFound(error))
        return {
          problem: `There is no Secret ${namespace}/${name}: make it, with the cluster's kubeconfig under the key kubeconfig.`,
        };
      return {
        problem: `The kubeconfig in Secret ${namespace}/${name} cannot be used: ${errorMessage(error)}`,
      };
    }
  }
}

/** Runs syncers in the hub's own process. */
export const push: HubController = {
  name: "push",
  description: "the syncers of clusters in the mode push",
  rules: [],
  // Kubeconfigs of clusters lie in the product's namespace alone.
  namespacedRules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
  start(context: HubContext): void {
    if (!context.push) return;
    const { manager } = context;
    const clusters = clustersIn(manager.cache);
    const syncers = new PushedSyncers(context, (name) => clusters.get(name));
    const { queue } = manager.controller({
      name: "push",
      concurrency: context.concurrency,
      reconcile: (name, reconcileContext) => syncers.reconcile(name, reconcileContext),
    });
    clusters.onChange(({ key, before, after }) => {
      if (before?.metadata.generation !== after?.metadata.generation || after === undefined) queue.add(key);
    });
    manager.whileLeading((reign) => {
      // Their syncers ended with the last time that this process led.
      for (const { metadata } of clusters.list()) queue.add(metadata.name);
      return syncers.during(reign);
    });
  },
};
