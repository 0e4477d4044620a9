// One process of the coordinator: its client, its manager, and the controllers that were chosen, while it leads.
import { randomBytes } from "node:crypto";
import { accountUser } from "../../api";
import { failingGuard, type Failpoint } from "../app/failpoint";
import {
  ApiClient,
  kubeconfigCredentials,
  Logger,
  Manager,
  Recorder,
  type Clock,
  type CredentialSource,
} from "../runtime";
import type { CoordinatorController, ControllerContext } from "./controller-context";
import type { Settings } from "./settings";

/** What tests give besides the settings. */
export interface CoordinatorOptions {
  credentials?: CredentialSource;
  clock?: Clock;
  log?: Logger;
  failpoint?: Failpoint;
}

/** One process of the coordinator: the chosen controllers on one manager. */
export class Coordinator {
  readonly manager: Manager;
  readonly context: ControllerContext;
  readonly #evictor: ApiClient;

  constructor(
    settings: Settings,
    controllers: readonly CoordinatorController[],
    options: CoordinatorOptions = {},
  ) {
    const { namespace, host, port, perSecond, burst, concurrency } = settings;
    // Replicas of a Deployment differ by name, but a restarted container has the name of the one before.
    const identity = `${settings.identity}_${randomBytes(4).toString("hex")}`;
    const log = options.log ?? new Logger({ level: settings.logLevel });
    const credentials = options.credentials ?? kubeconfigCredentials(settings.kubeconfig);
    const clientOptions = { rateLimit: { perSecond, burst }, userAgent: "fleetwright-coordinator" };
    const manager = new Manager({
      credentials,
      log,
      // A few replicas may ask a server that comes back more often than the agents of two thousand nodes.
      cache: { backoff: { capMs: 10_000 } },
      client: clientOptions,
      serve: { port, ...(host === undefined ? {} : { host }) },
      ...(options.clock === undefined ? {} : { clock: options.clock }),
      ...(settings.leaderElect
        ? { leaderElection: { namespace, name: "fleetwright-coordinator", identity } }
        : {}),
    });
    const { failpoint } = options;
    const fail = failpoint === undefined ? undefined : failingGuard(failpoint);
    const guard = (): void => {
      manager.election?.assertLeading();
      fail?.();
    };
    const client = manager.reader.guardedBy(guard);
    const { clock, metrics } = manager;
    this.#evictor = new ApiClient(credentials, { ...clientOptions, clock, metrics, maxRetries: 0 }, guard);
    const recorder = new Recorder(client, {
      controller: "fleetwright.dev/coordinator",
      instance: identity,
      log,
    });
    this.manager = manager;
    this.context = {
      manager,
      client,
      evictor: this.#evictor,
      actingAs: (account) => client.actingAs(accountUser(account, namespace)),
      recorder,
      namespace,
      concurrency,
    };
    for (const controller of controllers)
      if (settings.controllers.includes(controller.name)) controller.start(this.context);
  }

  /** Works until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.manager.run(signal);
    this.#evictor.close();
    await this.context.recorder.flush().catch(() => {});
  }
}
