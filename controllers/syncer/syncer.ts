// The engine that keeps one member in step with its Shares on the hub, given a client of each, wherever it runs.
import { clusterNamespace } from "../../api/hub";
import { DeletionGuard } from "../app/deletion-guard";
import {
  Cache,
  Controller,
  Discovery,
  errorMessage,
  isNotFound,
  isOutage,
  type Logger,
  sleep,
  type ApiClient,
  type Informer,
  type Metrics,
} from "../runtime";
import { Heartbeat, nodeFacts, reducedNode, type Report } from "./heartbeat";
import { HubIdentity, WrongHubError } from "./hub-identity";
import { HubSide } from "./hub-side";
import { NAMESPACES, NODES, SHARES, type NodeObject, type ShareObject } from "./kinds";
import { MemberObjects } from "./member-objects";
import { MemberWriter } from "./member-writer";
import { ShareReconciler } from "./share-reconciler";

/** What a syncer is made of. */
export interface SyncerOptions {
  /** The cluster's name on the hub. */
  cluster: string;
  hub: ApiClient;
  member: ApiClient;
  /** Which process this is, for the heartbeat. */
  identity: string;
  log: Logger;
  metrics: Metrics;
  /** Shares that are worked on at the same time. @default 16 */
  inFlight?: number;
  /** The address of the member, as far as the hub should know it. */
  endpoint?: string;
  /** When the certificate ends with which the hub is asked. */
  certificateExpires?: () => string | undefined;
  /** How long until a claim that failed is tried again. @default 5000 */
  claimAgainMs?: number;
}

/** Keeps one member in step. */
export class Syncer {
  readonly #options: SyncerOptions;
  readonly #log: Logger;
  readonly #hubCache: Cache;
  readonly #memberCache: Cache;
  readonly #shares: Informer<ShareObject>;
  readonly #nodes: Informer<NodeObject>;
  readonly #objects: MemberObjects;
  readonly #identity: HubIdentity;
  readonly #controller: Controller;
  readonly #heartbeat: Heartbeat;
  readonly #hubSide = new HubSide();
  /** What the hub that answers is, if it is another than the member's. */
  #wrongHub: string | undefined;
  /** Why it does not work yet. */
  #problem: string | undefined = "It has not reached the hub and the member yet.";

  constructor(options: SyncerOptions) {
    const { cluster, hub, member, metrics, identity } = options;
    this.#options = options;
    this.#log = options.log.with({ cluster });
    const namespace = clusterNamespace(cluster);
    this.#hubCache = new Cache(hub, { log: this.#log });
    this.#memberCache = new Cache(member, { log: this.#log });
    this.#shares = this.#hubCache.informer(SHARES, { namespace });
    this.#nodes = this.#memberCache.informer(NODES, { transform: reducedNode });
    this.#identity = new HubIdentity(hub, member, cluster);
    this.#objects = new MemberObjects(member, this.#log, (share) =>
      this.#controller.queue.add(`${namespace}/${share}`),
    );
    const writes = metrics.counter("syncer_writes_total", "Writes into the member by result.", ["result"]);
    const reconciler = new ShareReconciler({
      cluster,
      hub,
      shares: this.#shares,
      guard: new DeletionGuard(this.#shares, hub.clock),
      hubSide: this.#hubSide,
      identity: this.#identity,
      discovery: new Discovery(member),
      objects: this.#objects,
      writer: new MemberWriter(member),
      onWrite: (result) => writes.add({ result }),
    });
    const inFlight = options.inFlight ?? 16;
    this.#controller = new Controller({
      name: "shares",
      concurrency: inFlight,
      groups: { of: () => cluster, inFlight },
      clock: hub.clock,
      log: this.#log,
      metrics,
      reconcile: (key, context) => reconciler.reconcile(key, context),
    }).watches(this.#shares);
    metrics.gauge("syncer_shares", "Shares of the cluster.", []).source({}, () => this.#shares.size);
    metrics
      .gauge("syncer_breaker_open", "1 while the member does not answer and is left alone.", [])
      .source({}, () => this.#controller.queue.tripped.length);
    this.#heartbeat = new Heartbeat(hub, { namespace, identity, log: this.#log }, (signal) =>
      this.#report(signal),
    );
  }

  /** What keeps it from its work, in words; empty if nothing does. */
  problems(): string[] {
    return [
      ...[this.#problem, this.#wrongHub].filter((problem) => problem !== undefined),
      ...(this.#hubSide.problem === undefined ? [] : [`the hub does not answer: ${this.#hubSide.problem}`]),
      ...this.#hubCache.unsynced().map((what) => `not synced: ${what}`),
      ...this.#hubCache.degraded().map((what) => `degraded: ${what}`),
      ...this.#memberCache.degraded().map((what) => `degraded: ${what}`),
      ...(this.#controller.queue.tripped.length > 0 ? ["the member does not answer"] : []),
    ];
  }

  /** Works until the signal aborts; what is under way is then finished. */
  async run(signal: AbortSignal): Promise<void> {
    const reading = new AbortController();
    const beating = this.#heartbeat.run(signal);
    await this.#claim(signal);
    const runs = signal.aborted
      ? []
      : [
          this.#hubCache.run(reading.signal),
          this.#memberCache.run(reading.signal),
          this.#objects.run(reading.signal),
        ];
    if (!signal.aborted) await this.#controller.run(signal);
    this.#controller.queue.close();
    reading.abort();
    await Promise.all([...runs, beating]);
  }

  // The member must be this hub's before anything is read or written for it.
  async #claim(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      try {
        const hub = await this.#identity.claim(signal);
        await this.#objects.resume(signal);
        this.#problem = undefined;
        this.#log.info("The member belongs to this hub.", { hub });
        return;
      } catch (error) {
        if (isOver()) return;
        const cause = errorMessage(error);
        if (cause !== this.#problem)
          this.#log.error(
            error instanceof WrongHubError
              ? "The member is not this hub's; nothing is done."
              : "Hub or member could not be asked; trying again.",
            { cause },
          );
        this.#problem = cause;
        await sleep(this.#options.hub.clock, this.#options.claimAgainMs ?? 5000, signal);
      }
    }
  }

  // With nothing to bring anywhere, nothing else would notice that another hub answers; and to that one nothing is said.
  async #confirm(signal: AbortSignal): Promise<void> {
    if (this.#identity.uid === undefined) return;
    try {
      await this.#hubSide.ask(() => this.#identity.confirm(signal));
      this.#wrongHub = undefined;
    } catch (error) {
      if (error instanceof WrongHubError) {
        if (this.#wrongHub === undefined)
          this.#log.error("Another hub answers; nothing is done.", { cause: error.message });
        this.#wrongHub = error.message;
      }
      throw error;
    }
  }

  async #report(signal: AbortSignal): Promise<Report> {
    const { member, endpoint, certificateExpires } = this.#options;
    await this.#confirm(signal);
    const problems = this.problems();
    const shared = {
      problems,
      endpoint,
      synced: this.#objects.resources
        .map((one) => `${one.plural}.${one.version}.${one.group || "core"}`)
        .sort(),
      orphans: this.#shares.hasSynced
        ? this.#objects
            .orphans((name) => this.#shares.get(`${this.#namespace}/${name}`) !== undefined)
            .slice(0, 20)
        : [],
      certificateExpires: certificateExpires?.(),
    };
    try {
      // The member's own answer, within the time of one beat: what hangs is as good as gone.
      const within = AbortSignal.any([signal, AbortSignal.timeout(5000)]);
      const { gitVersion } = await member.request<{ gitVersion?: string }>({
        method: "GET",
        path: "/version",
        signal: within,
      });
      const system = await member.get(NAMESPACES, { name: "kube-system" }, within);
      return {
        ...shared,
        version: gitVersion,
        uid: system.metadata.uid,
        ...(this.#nodes.hasSynced ? nodeFacts(this.#nodes) : {}),
      };
    } catch (error) {
      const cause = isNotFound(error) ? "it has no namespace kube-system" : errorMessage(error);
      // A refusal is an answer, too: the member lives, and somebody has to give the syncer its rights back.
      if (!isOutage(error))
        return { ...shared, problems: [...problems, `The member refuses the syncer: ${cause}`] };
      return {
        ...shared,
        problems: [...problems, `The member does not answer: ${cause}`],
        unanswered: cause,
      };
    }
  }

  get #namespace(): string {
    return clusterNamespace(this.#options.cluster);
  }
}
