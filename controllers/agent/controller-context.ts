// What the agent gives each of its controllers (users/, upgrade/ and facts/).
import type { ControllerDefinition } from "../app/controller-definition";
import type { ApiClient, Manager, Recorder } from "../runtime";
import type { HostRoot, HostUnits, SelinuxLabels } from "./host";
import type { Settings } from "./settings";

/** What a controller of the agent works with. */
export interface ControllerContext {
  /** Runs the controllers and holds the cache. */
  manager: Manager;
  /** For every write. */
  client: ApiClient;
  recorder: Recorder;
  /** The host's files. */
  root: HostRoot;
  /** The host's services. */
  units: HostUnits;
  /** Gives what was written its SELinux labels. */
  labels: SelinuxLabels;
  settings: Settings;
  /** The CA of the server that installers are downloaded from; the system's CAs if undefined. */
  installerCa: string | undefined;
  /** Registers a hook that runs when the agent shuts down, after all controllers have stopped. */
  onShutdown(hook: ShutdownHook): void;
}

/** Work that a controller does when the agent shuts down. */
export type ShutdownHook = () => Promise<void>;

/** A controller of the agent. */
export type AgentController = ControllerDefinition<ControllerContext>;
