// Runs the controllers of a process with one cache, client, lease and HTTP server, and shuts them down in order.
import { ApiClient, type ApiClientOptions } from "./api-client";
import { Cache } from "./cache";
import { aborted, sleep, systemClock, type Clock } from "./clock";
import { Controller, type ControllerOptions } from "./controller";
import type { CredentialSource } from "./credentials";
import { LeaderElection, type LeaderElectionOptions } from "./leader-election";
import { Logger } from "./log";
import { Metrics } from "./metrics";
import { MetricsAccess } from "./metrics-access";
import type { ReflectorOptions } from "./reflector";
import { Server } from "./server";

/** What a process of controllers is made of. */
export interface ManagerOptions {
  credentials: CredentialSource;
  client?: ApiClientOptions;
  cache?: ReflectorOptions;
  /** Without it every process works; right for agents that own one node each. */
  leaderElection?: LeaderElectionOptions;
  /**
   * Where probes and metrics are served; `false` for nowhere. With `metricsAudience`, metrics are for those whom the API
   * server lets read them; the audience is that of tokens for metrics alone.
   */
  serve?: { port?: number; host?: string; tls?: string; metricsAudience?: string } | false;
  /** How long the end may take. @default 20000 */
  shutdownMs?: number;
  log?: Logger;
  clock?: Clock;
  metrics?: Metrics;
}

/** Runs controllers with one cache, one client, one lease and one HTTP server for probes and metrics. */
export class Manager {
  /** For reading, and for writing what needs no leadership. */
  readonly reader: ApiClient;
  /** For writing: refuses when this process does not lead. */
  readonly client: ApiClient;
  readonly cache: Cache;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly election: LeaderElection | undefined;
  readonly #electionClient: ApiClient | undefined;
  readonly #server: Server | undefined;
  readonly #controllers: Controller[] = [];
  readonly #beside: ((reign: AbortSignal) => Promise<void>)[] = [];
  readonly #shutdownMs: number;
  #stopping = false;
  #port: number | undefined;

  constructor(options: ManagerOptions) {
    this.clock = options.clock ?? systemClock;
    this.metrics = options.metrics ?? new Metrics();
    this.log = options.log ?? new Logger({ clock: this.clock });
    this.#shutdownMs = options.shutdownMs ?? 20_000;
    const shared = { ...options.client, clock: this.clock, metrics: this.metrics };
    this.reader = new ApiClient(options.credentials, shared);
    this.cache = new Cache(this.reader, { log: this.log, ...options.cache });
    if (options.leaderElection !== undefined) {
      this.#electionClient = new ApiClient(options.credentials, { ...shared, maxRetries: 0 });
      this.election = new LeaderElection(this.#electionClient, { log: this.log, ...options.leaderElection });
    }
    const { election } = this;
    this.client =
      election === undefined ? this.reader : this.reader.guardedBy(() => election.assertLeading());
    if (options.serve !== false) {
      const { metricsAudience: audience, ...serve } = options.serve ?? {};
      const access = audience === undefined ? undefined : new MetricsAccess(this.reader, { audience });
      this.#server = new Server({
        ...serve,
        metrics: this.metrics,
        ready: () => this.#problems(),
        ...(access === undefined ? {} : { metricsAccess: (authorization) => access.of(authorization) }),
      });
    }
  }

  /** Where probes and metrics are served, once it runs. */
  get port(): number | undefined {
    return this.#port;
  }

  /** Makes a controller that runs with the others. */
  controller(options: Omit<ControllerOptions, "clock" | "log" | "metrics">): Controller {
    const made = new Controller({ ...options, clock: this.clock, log: this.log, metrics: this.metrics });
    this.#controllers.push(made);
    return made;
  }

  /** Runs something beside the controllers while this process leads: it has to end when the signal aborts, and may be called again later. */
  whileLeading(run: (reign: AbortSignal) => Promise<void>): void {
    this.#beside.push(run);
  }

  /** Runs everything until the signal aborts and then ends in order: controllers, lease, watches, server. */
  async run(signal: AbortSignal): Promise<void> {
    this.#port = await this.#server?.listen();
    if (this.#port !== undefined) this.log.info("Serving probes and metrics.", { port: this.#port });
    const reading = new AbortController();
    const cacheRun = this.cache.run(reading.signal);
    await Promise.race([this.cache.synced(), aborted(signal)]);
    const lead = async (reign: AbortSignal): Promise<void> => {
      await Promise.all([
        ...this.#beside.map((run) => run(reign)),
        ...this.#controllers.map((controller) => controller.run(reign)),
      ]);
    };
    const work = this.election === undefined ? lead(signal) : this.election.run(signal, lead);
    void aborted(signal).then(() => (this.#stopping = true));
    await Promise.race([work, aborted(signal)]);
    const late = new AbortController();
    const inTime = await Promise.race([
      work.then(() => true),
      sleep(this.clock, this.#shutdownMs, late.signal).then(() => false),
    ]);
    late.abort();
    if (!inTime)
      this.log.error("Reconciles did not end in time and are left behind.", { shutdownMs: this.#shutdownMs });
    for (const { queue } of this.#controllers) queue.close();
    reading.abort();
    await cacheRun;
    this.reader.close();
    this.#electionClient?.close();
    await this.#server?.close();
  }

  #problems(): string[] {
    const { election } = this;
    return [
      ...(this.#stopping ? ["stopping"] : []),
      ...this.cache.unsynced().map((what) => `not synced: ${what}`),
      ...this.cache.degraded().map((what) => `degraded: ${what}`),
      ...(election !== undefined && !election.isLeading && !election.leader ? ["no leader is known"] : []),
    ];
  }
}
