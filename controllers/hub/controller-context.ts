import type { ControllerDefinition } from "../app/controller-definition";
import type { ApiClient, Manager, Recorder } from "../runtime";

/** What the hub's program gives to each of its controllers. */
export interface HubContext {
  /** Runs the reconcilers and holds the cache. */
  manager: Manager;
  /** For every write: refuses when this process does not lead. */
  client: ApiClient;
  recorder: Recorder;
  /** The namespace of the product on the hub. */
  namespace: string;
  /** This process. */
  identity: string;
  /** How many keys a reconciler works on at the same time. */
  concurrency: number;
  /** Which syncers run in this process: those of clusters in the mode push, or none. */
  push: boolean;
  /** The time between heartbeats; by default by the number of clusters. */
  heartbeatSeconds?: number | undefined;
  /** How long the end of a cluster waits for its syncer; by default ten minutes. */
  endWithinMs?: number | undefined;
  /** How often a cluster is asked whether its kinds changed; by default every half minute. */
  pullEveryMs?: number | undefined;
}

/** A controller of the hub. */
export type HubController = ControllerDefinition<HubContext>;
