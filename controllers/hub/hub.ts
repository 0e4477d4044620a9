// One process of the hub's controllers: the chosen ones on one manager.
import { randomBytes } from "node:crypto";
import {
  isAlreadyExists,
  kubeconfigCredentials,
  Logger,
  Manager,
  Recorder,
  type CredentialSource,
} from "../runtime";
import { NAMESPACES } from "../syncer/kinds";
import type { HubContext, HubController } from "./controller-context";
import type { Settings } from "./settings";

const LEASE = "fleetwright-hub";

/** What tests give besides the settings. */
export interface HubOptions {
  credentials?: CredentialSource;
  log?: Logger;
}

/** The hub's controllers. */
export class HubControllers {
  readonly manager: Manager;
  readonly context: HubContext;

  constructor(settings: Settings, controllers: readonly HubController[], options: HubOptions = {}) {
    const { namespace, host, port, perSecond, burst, concurrency, push, heartbeatSeconds } = settings;
    const { endWithinSeconds, pullSeconds } = settings;
    const identity = `${settings.identity}_${randomBytes(4).toString("hex")}`;
    const log = options.log ?? new Logger({ level: settings.logLevel });
    this.manager = new Manager({
      credentials: options.credentials ?? kubeconfigCredentials(settings.kubeconfig),
      log,
      client: { rateLimit: { perSecond, burst }, userAgent: "fleetwright-hub" },
      serve: { port, ...(host === undefined ? {} : { host }) },
      ...(settings.leaderElect ? { leaderElection: { namespace, name: LEASE, identity } } : {}),
    });
    const { client } = this.manager;
    this.context = {
      manager: this.manager,
      client,
      recorder: new Recorder(client, { controller: "fleetwright.dev/hub", instance: identity, log }),
      namespace,
      identity,
      concurrency,
      push,
      heartbeatSeconds: heartbeatSeconds === 0 ? undefined : heartbeatSeconds,
      endWithinMs: endWithinSeconds * 1000,
      pullEveryMs: pullSeconds * 1000,
    };
    for (const controller of controllers)
      if (settings.controllers.includes(controller.name)) controller.start(this.context);
  }

  /** Works until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { reader } = this.manager;
    // The lease has to lie somewhere; on a fresh hub there is no such namespace yet.
    await reader
      .create(NAMESPACES, { metadata: { name: this.context.namespace } }, signal)
      .catch((error: unknown) => {
        if (!isAlreadyExists(error) && !signal.aborted)
          this.manager.log.info("The product's namespace could not be made.", { error });
      });
    await this.manager.run(signal);
    await this.context.recorder.flush().catch(() => {});
  }
}
