import type { PolicyRule } from "../program/rules";
import type { ApiClient, Manager, Recorder } from "../runtime";
import type { HostRoot } from "./host";
import type { Settings } from "./settings";
import type { HostUnits } from "./upgrade/host-units";

/** What a part has to work with. */
export interface Workplace {
  /** Runs the controllers and holds the cache. */
  manager: Manager;
  /** For every write. */
  client: ApiClient;
  recorder: Recorder;
  /** The host's files. */
  root: HostRoot;
  /** The host's services. */
  units: HostUnits;
  settings: Settings;
  /** The authority of the server that installers come from; that of the system if undefined. */
  installerCa: string | undefined;
}

/** One of the agent's controllers with the rights that it needs: what is not declared here it cannot do. */
export interface Part {
  /** As in `--controllers`. */
  name: string;
  /** One line for `--help`. */
  describes: string;
  rules: readonly PolicyRule[];
  setUp(workplace: Workplace): PartEnd | undefined;
}

/** What a part does when the agent ends, after its controllers have. */
export type PartEnd = () => Promise<void>;
