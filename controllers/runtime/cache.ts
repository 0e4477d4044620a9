// The informers of a process, one for each resource and selection, started and checked together.
import type { ApiClient } from "./api-client";
import { Informer, type InformerOptions } from "./informer";
import { resourceName, resourcePath, type KubernetesObject, type Resource } from "./object";
import type { ReflectorOptions } from "./reflector";

interface Entry {
  informer: {
    run(signal: AbortSignal): Promise<void>;
    synced(): Promise<void>;
    hasSynced: boolean;
    state: { failure: { message: string; since: number } | undefined };
  };
  name: string;
  /** What made it; two askers share only if they asked for the same. */
  transform: unknown;
}

/** The informers of a process: who asks for the same objects gets the same informer, and the server one watch. */
export class Cache {
  readonly #client: ApiClient;
  readonly #defaults: ReflectorOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #runs: Promise<void>[] = [];
  #signal: AbortSignal | undefined;

  constructor(client: ApiClient, defaults: ReflectorOptions = {}) {
    this.#client = client;
    this.#defaults = defaults;
  }

  /** The informer for a selection of a resource; made at the first asking. */
  informer<T extends KubernetesObject>(resource: Resource<T>, options: InformerOptions<T> = {}): Informer<T> {
    const { labelSelector = "", fieldSelector = "" } = options;
    const id = `${resourcePath(resource, options)}?${labelSelector}&${fieldSelector}`;
    const known = this.#entries.get(id);
    if (known?.informer instanceof Informer) {
      if (known.transform !== options.transform) {
        throw new Error(
          `${known.name} is already in the cache with another transform: give both askers the same function, or select differently.`,
        );
      }
      return known.informer as Informer<T>;
    }
    const informer = new Informer(this.#client, resource, { ...this.#defaults, ...options });
    this.#entries.set(id, { informer, name: resourceName(resource), transform: options.transform });
    if (this.#signal !== undefined) this.#runs.push(informer.run(this.#signal));
    return informer;
  }

  /** Runs all informers, also those that are asked for later, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const { informer } of this.#entries.values()) this.#runs.push(informer.run(signal));
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.all(this.#runs);
  }

  /** Resolves when every informer has its first full list. */
  async synced(): Promise<void> {
    await Promise.all(Array.from(this.#entries.values(), ({ informer }) => informer.synced()));
  }

  get hasSynced(): boolean {
    return this.unsynced().length === 0;
  }

  /** What is not in yet, and why, in words. */
  unsynced(): string[] {
    return Array.from(this.#entries.values()).flatMap(({ name, informer }) => {
      if (informer.hasSynced) return [];
      const { failure } = informer.state;
      return [failure === undefined ? name : `${name}: ${failure.message}`];
    });
  }

  /** What is in but could not be kept up to date for longer than a hiccup, and why. */
  degraded(hiccupMs = 15_000): string[] {
    const now = this.#client.clock.now();
    return Array.from(this.#entries.values()).flatMap(({ name, informer: { state } }) =>
      state.failure === undefined || now - state.failure.since < hiccupMs
        ? []
        : [`${name}: ${state.failure.message}`],
    );
  }
}
