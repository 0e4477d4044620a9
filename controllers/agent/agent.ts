import { failingGuard, type Failpoint } from "../program/failpoint";
import {
  Logger,
  Manager,
  podCredentials,
  Recorder,
  type ApiClient,
  type Clock,
  type CredentialSource,
} from "../runtime";
import { HostRoot } from "./host";
import type { Part, PartEnd, Workplace } from "./part";
import type { Settings } from "./settings";
import { SystemdUnits, type HostUnits } from "./upgrade";

/** What tests give besides the settings. */
export interface Surroundings {
  credentials?: CredentialSource;
  clock?: Clock;
  log?: Logger;
  failpoint?: Failpoint;
  units?: HostUnits;
  installerCa?: string;
}

/** One process of the agent: the chosen parts on one manager. There is no leader: every node has its own. */
export class Agent {
  readonly manager: Manager;
  readonly #ends: PartEnd[] = [];
  readonly #recorder: Recorder;

  constructor(settings: Settings, parts: readonly Part[], surroundings: Surroundings = {}) {
    const { host, port, perSecond, burst, nodeName } = settings;
    const log = surroundings.log ?? new Logger({ level: settings.logLevel });
    const manager = new Manager({
      credentials: surroundings.credentials ?? podCredentials(settings.server, settings.credentials),
      log,
      client: { rateLimit: { perSecond, burst }, userAgent: "fleetwright-agent", maxSockets: 4 },
      serve: { port, ...(host === undefined ? {} : { host }) },
      ...(surroundings.clock === undefined ? {} : { clock: surroundings.clock }),
    });
    const { failpoint } = surroundings;
    const guard = failpoint === undefined ? () => {} : failingGuard(failpoint);
    const client: ApiClient = manager.reader.guardedBy(guard);
    this.#recorder = new Recorder(manager.reader, {
      controller: "fleetwright.dev/agent",
      instance: nodeName,
      log,
    });
    const workplace: Workplace = {
      manager,
      client,
      recorder: this.#recorder,
      root: new HostRoot(settings.hostRoot, guard),
      units: surroundings.units ?? new SystemdUnits(settings.hostRoot),
      settings,
      installerCa: surroundings.installerCa,
    };
    this.manager = manager;
    for (const part of parts) {
      const end = settings.controllers.includes(part.name) ? part.setUp(workplace) : undefined;
      if (end !== undefined) this.#ends.push(end);
    }
  }

  /** Works until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.manager.run(signal);
    for (const end of this.#ends)
      await end().catch((error: unknown) => {
        this.manager.log.error("A part did not end in order.", { error });
      });
    await this.#recorder.flush().catch(() => {});
  }
}
