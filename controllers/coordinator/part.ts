import type { PolicyRule } from "../program/rules";
import type { ApiClient, Manager, Recorder } from "../runtime";

/** What a part has to work with. */
export interface Workplace {
  /** Runs the controllers and holds the cache. */
  manager: Manager;
  /** For every write: refuses when this process does not lead. */
  client: ApiClient;
  /** As `client`, but a "429 Too Many Requests" is handed to the caller: for evictions it means that a budget forbids it. */
  evictor: ApiClient;
  recorder: Recorder;
  /** The namespace of the product. */
  namespace: string;
  /** Keys that a controller works on at the same time. */
  concurrency: number;
}

/** One of the coordinator's controllers with the rights that it needs: what is not declared here it cannot do. */
export interface Part {
  /** As in `--controllers`. */
  name: string;
  /** One line for `--help`. */
  describes: string;
  rules: readonly PolicyRule[];
  /** What it needs in the product's namespace only. */
  homeRules?: readonly PolicyRule[];
  setUp(workplace: Workplace): void;
}
