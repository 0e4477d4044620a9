// The agent: one process on every node that runs the controllers in users/, upgrade/ and facts/.
import { METRICS_AUDIENCE } from "../../api/agent-pod-requirements";
import { failingGuard, type Failpoint } from "../app/failpoint";
import { Logger, Manager, podCredentials, Recorder, type Clock, type CredentialSource } from "../runtime";
import type { AgentController, ControllerContext, ShutdownHook } from "./controller-context";
import { HostRoot, SelinuxLabels, SystemdUnits, type HostUnits } from "./host";
import type { Settings } from "./settings";

/** What tests replace; in a pod all of it has its default. */
export interface AgentOptions {
  credentials?: CredentialSource;
  clock?: Clock;
  log?: Logger;
  failpoint?: Failpoint;
  units?: HostUnits;
  installerCa?: string;
}

/** One agent process: the selected controllers on one manager. There is no leader election: each node has its own agent. */
export class Agent {
  readonly manager: Manager;
  readonly #shutdownHooks: ShutdownHook[] = [];
  readonly #recorder: Recorder;

  constructor(settings: Settings, controllers: readonly AgentController[], options: AgentOptions = {}) {
    const { host, port, tls, perSecond, burst, nodeName } = settings;
    const log = options.log ?? new Logger({ level: settings.logLevel });
    this.manager = new Manager({
      credentials: options.credentials ?? podCredentials(settings.server, settings.credentials),
      log,
      client: { rateLimit: { perSecond, burst }, userAgent: "fleetwright-agent", maxSockets: 4 },
      // On every address of the host: probes are for all, metrics for whom RBAC lets read them.
      serve: {
        port,
        metricsAudience: METRICS_AUDIENCE,
        ...(host === undefined ? {} : { host }),
        ...(tls === undefined ? {} : { tls }),
      },
      ...(options.clock === undefined ? {} : { clock: options.clock }),
    });
    this.#recorder = new Recorder(this.manager.reader, {
      controller: "fleetwright.dev/agent",
      instance: nodeName,
      log,
      // There is an agent on every node, and what it remarks is often made by those who log in there.
      rateLimit: { perSecond: 0.5, burst: 5 },
    });
    const context = this.#context(settings, options);
    for (const controller of controllers)
      if (settings.controllers.includes(controller.name)) controller.start(context);
  }

  #context(settings: Settings, { failpoint, units, installerCa }: AgentOptions): ControllerContext {
    const guard = failpoint === undefined ? () => {} : failingGuard(failpoint);
    const hostUnits = units ?? new SystemdUnits(settings.hostRoot);
    const labels = new SelinuxLabels(settings.proc, hostUnits, this.manager.log);
    return {
      manager: this.manager,
      client: this.manager.reader.guardedBy(guard),
      recorder: this.#recorder,
      root: new HostRoot(settings.hostRoot, guard, (file) => labels.written(file)),
      units: hostUnits,
      labels,
      settings,
      installerCa,
      onShutdown: (hook) => this.#shutdownHooks.push(hook),
    };
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.manager.run(signal);
    for (const hook of this.#shutdownHooks)
      await hook().catch((error: unknown) => {
        this.manager.log.error("A controller's shutdown hook failed.", { error });
      });
    await this.#recorder.flush().catch(() => {});
  }
}
