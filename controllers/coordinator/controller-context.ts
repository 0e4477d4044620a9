import type { ControllerDefinition } from "../app/controller-definition";
import type { ApiClient, Manager, Recorder } from "../runtime";

/** What the coordinator gives to each of its controllers. */
export interface ControllerContext {
  /** Runs the reconcilers and holds the cache. */
  manager: Manager;
  /** For every write: refuses when this process does not lead. */
  client: ApiClient;
  /** As `client`, but returns "429 Too Many Requests" to the caller: for an eviction it means that a budget forbids it. */
  evictor: ApiClient;
  /** As `client`, but with the rights of one of the service accounts that controllers declare, and with no others. */
  actingAs(account: string): ApiClient;
  recorder: Recorder;
  /** The namespace of the product. */
  namespace: string;
  /** How many keys a reconciler works on at the same time. */
  concurrency: number;
}

/** A controller of the coordinator. */
export type CoordinatorController = ControllerDefinition<ControllerContext>;
