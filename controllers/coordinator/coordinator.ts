import { randomBytes } from "node:crypto";
import { failingGuard, type Failpoint } from "../program/failpoint";
import {
  ApiClient,
  kubeconfigCredentials,
  Logger,
  Manager,
  Recorder,
  type Clock,
  type CredentialSource,
} from "../runtime";
import type { Part, Workplace } from "./part";
import type { Settings } from "./settings";

/** What tests give besides the settings. */
export interface Surroundings {
  credentials?: CredentialSource;
  clock?: Clock;
  log?: Logger;
  failpoint?: Failpoint;
}

/** One process of the coordinator: the chosen parts on one manager. */
export class Coordinator {
  readonly manager: Manager;
  readonly workplace: Workplace;
  readonly #evictor: ApiClient;

  constructor(settings: Settings, parts: readonly Part[], surroundings: Surroundings = {}) {
    const { namespace, host, port, perSecond, burst, concurrency } = settings;
    // Replicas of a Deployment differ by name, but a restarted container has the name of the one before.
    const identity = `${settings.identity}_${randomBytes(4).toString("hex")}`;
    const log = surroundings.log ?? new Logger({ level: settings.logLevel });
    const credentials = surroundings.credentials ?? kubeconfigCredentials(settings.kubeconfig);
    const options = { rateLimit: { perSecond, burst }, userAgent: "fleetwright-coordinator" };
    const manager = new Manager({
      credentials,
      log,
      client: options,
      serve: { port, ...(host === undefined ? {} : { host }) },
      ...(surroundings.clock === undefined ? {} : { clock: surroundings.clock }),
      ...(settings.leaderElect
        ? { leaderElection: { namespace, name: "fleetwright-coordinator", identity } }
        : {}),
    });
    const { failpoint } = surroundings;
    const fail = failpoint === undefined ? undefined : failingGuard(failpoint);
    const guard = (): void => {
      manager.election?.assertLeading();
      fail?.();
    };
    const client = manager.reader.guardedBy(guard);
    const { clock, metrics } = manager;
    this.#evictor = new ApiClient(credentials, { ...options, clock, metrics, maxRetries: 0 }, guard);
    const recorder = new Recorder(client, {
      controller: "fleetwright.dev/coordinator",
      instance: identity,
      log,
    });
    this.manager = manager;
    this.workplace = { manager, client, evictor: this.#evictor, recorder, namespace, concurrency };
    for (const part of parts) if (settings.controllers.includes(part.name)) part.setUp(this.workplace);
  }

  /** Works until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.manager.run(signal);
    this.#evictor.close();
    await this.workplace.recorder.flush().catch(() => {});
  }
}
