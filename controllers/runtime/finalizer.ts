// Finalizers: an object is released only when all steps of its cleanup are done, in order.
import type { ApiClient } from "./api-client";
import { isNotFound } from "./api-error";
import type { ReconcileResult } from "./controller";
import type { KubernetesObject, Resource } from "./object";

/** A step is finished, or says what it waits for and when to look again. */
export type StepOutcome = "done" | { waitingFor: string; againAfterMs: number };

/** One step on the way to the end of an object. It may run many times, and must do no harm when it does. */
export interface FinalizerStep<T> {
  name: string;
  run(object: T, signal: AbortSignal): Promise<StepOutcome>;
}

/** How far the end of an object is. */
export type Finalization =
  { finished: true } | { finished: false; step: string; waitingFor: string; result: ReconcileResult };

/** Holds an object back from its end until ordered steps are done. */
export class Finalizer<T extends KubernetesObject> {
  readonly #client: ApiClient;
  readonly #resource: Resource<T>;
  readonly #name: string;
  readonly #steps: readonly FinalizerStep<T>[];

  constructor(client: ApiClient, resource: Resource<T>, name: string, steps: readonly FinalizerStep<T>[]) {
    this.#client = client;
    this.#resource = resource;
    this.#name = name;
    this.#steps = steps;
  }

  isOn({ metadata }: T): boolean {
    return metadata.finalizers?.includes(this.#name) ?? false;
  }

  /** Puts the finalizer on an object that lives; do this before making anything that has to be cleaned up. */
  async ensure(object: T, signal?: AbortSignal): Promise<T> {
    if (this.isOn(object) || object.metadata.deletionTimestamp !== undefined) return object;
    return this.#write(object, [...(object.metadata.finalizers ?? []), this.#name], signal);
  }

  /** Runs the steps in order until one is not finished; takes the finalizer off after the last. */
  async finalize(object: T, signal: AbortSignal): Promise<Finalization> {
    if (!this.isOn(object)) return { finished: true };
    for (const step of this.#steps) {
      const outcome = await step.run(object, signal);
      if (outcome !== "done") {
        const { waitingFor, againAfterMs } = outcome;
        return { finished: false, step: step.name, waitingFor, result: { requeueAfterMs: againAfterMs } };
      }
    }
    try {
      await this.#write(
        object,
        (object.metadata.finalizers ?? []).filter((name) => name !== this.#name),
        signal,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return { finished: true };
  }

  // A merge patch replaces the whole list: without the version, a finalizer that somebody just added would be lost.
  #write({ metadata }: T, finalizers: string[], signal?: AbortSignal): Promise<T> {
    const { uid, resourceVersion } = metadata;
    return this.#client.patch(
      this.#resource,
      metadata,
      { metadata: { uid, resourceVersion, finalizers } },
      { signal },
    );
  }
}
