// The syncer as a program of its own: one engine, and a server for probes and metrics.
import { ApiClient, kubeconfigCredentials, Metrics, Server, type Logger } from "../runtime";
import { SecretStore } from "./certificate-store";
import { HubAccess } from "./hub-access";
import type { Settings } from "./settings";
import { Syncer } from "./syncer";

/** Runs the engine for one member. */
export class SyncerProgram {
  readonly #hub: ApiClient;
  readonly #member: ApiClient;
  readonly #server: Server;
  readonly #log: Logger;
  readonly #access: HubAccess | undefined;
  readonly syncer: Syncer;
  #isStopping = false;

  constructor(settings: Settings, log: Logger) {
    const { cluster, identity, inFlight, perSecond, burst, host, port } = settings;
    const all = new Metrics();
    const metrics = all.forCluster(cluster);
    const client = { rateLimit: { perSecond, burst }, userAgent: "fleetwright-syncer", metrics };
    this.#log = log;
    const { bootstrap, hub, hubSecret } = settings;
    this.#member = new ApiClient(kubeconfigCredentials(settings.member), client);
    const file = hubSecret === undefined ? (hub ?? "") : new SecretStore(this.#member, hubSecret);
    this.#access = bootstrap === undefined ? undefined : new HubAccess({ cluster, bootstrap, file, log });
    this.#hub = new ApiClient(this.#access ?? kubeconfigCredentials(hub), client);
    this.syncer = new Syncer({
      cluster,
      identity,
      inFlight,
      hub: this.#hub,
      member: this.#member,
      log,
      metrics,
      certificateExpires: () => this.#access?.expires,
    });
    this.#server = new Server({
      port,
      ...(host === undefined ? {} : { host }),
      metrics: all,
      ready: () => [...(this.#isStopping ? ["stopping"] : []), ...this.syncer.problems()],
    });
  }

  /** Works until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const port = await this.#server.listen();
    this.#log.info("Serving probes and metrics.", { port });
    signal.addEventListener("abort", () => (this.#isStopping = true), { once: true });
    await this.#access?.ready(signal);
    const renewing = this.#access?.run(signal);
    await this.syncer.run(signal);
    await renewing;
    this.#hub.close();
    this.#member.close();
    await this.#server.close();
  }
}
