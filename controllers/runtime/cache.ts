// The informers of a process, one for each resource and selection, started and checked together.
import type { ApiClient } from "./api-client";
import { aborted } from "./clock";
import { Informer, type InformerOptions } from "./informer";
import { resourceName, resourcePath, type KubernetesObject, type Resource } from "./object";
import type { ReflectorOptions } from "./reflector";

/** An informer for as long as it is needed: when the last who borrowed it gives it back, its watch ends. */
export interface BorrowedInformer<T extends KubernetesObject> {
  informer: Informer<T>;
  /** Gives it back; a second call does nothing. */
  release(): void;
}

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
  /** Who borrowed it; undefined for one that is kept for the life of the process. */
  borrowers: number | undefined;
  stop: AbortController;
}

/** The informers of a process: who asks for the same objects gets the same informer, and the server one watch. */
export class Cache {
  readonly #client: ApiClient;
  readonly #defaults: ReflectorOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #runs = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor(client: ApiClient, defaults: ReflectorOptions = {}) {
    this.#client = client;
    this.#defaults = defaults;
  }

  /** The informer for a selection of a resource; made at the first asking, and kept. */
  informer<T extends KubernetesObject>(resource: Resource<T>, options: InformerOptions<T> = {}): Informer<T> {
    const { informer, entry } = this.#entry(resource, options);
    entry.borrowers = undefined;
    return informer;
  }

  /** As {@link informer}, but only until it is given back: for what comes and goes, such as an object that another names. */
  borrow<T extends KubernetesObject>(
    resource: Resource<T>,
    options: InformerOptions<T> = {},
  ): BorrowedInformer<T> {
    const { informer, entry, id } = this.#entry(resource, options);
    if (entry.borrowers !== undefined) entry.borrowers += 1;
    let held = true;
    const release = (): void => {
      if (!held) return;
      held = false;
      if (entry.borrowers === undefined) return;
      entry.borrowers -= 1;
      if (entry.borrowers > 0) return;
      this.#entries.delete(id);
      entry.stop.abort();
    };
    return { informer, release };
  }

  /** Runs all informers, also those that are asked for later, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const entry of this.#entries.values()) this.#run(entry);
    await aborted(signal);
    for (const { stop } of this.#entries.values()) stop.abort();
    await Promise.all(this.#runs);
  }

  #entry<T extends KubernetesObject>(
    resource: Resource<T>,
    options: InformerOptions<T>,
  ): { informer: Informer<T>; entry: Entry; id: string } {
    const { labelSelector = "", fieldSelector = "" } = options;
    const id = `${resourcePath(resource, options)}?${labelSelector}&${fieldSelector}`;
    const known = this.#entries.get(id);
    if (known?.informer instanceof Informer) {
      if (known.transform !== options.transform) {
        throw new Error(
          `${known.name} is already in the cache with another transform: give both askers the same function, or select differently.`,
        );
      }
      return { informer: known.informer as Informer<T>, entry: known, id };
    }
    const informer = new Informer(this.#client, resource, { ...this.#defaults, ...options });
    const entry: Entry = {
      informer,
      name: resourceName(resource),
      transform: options.transform,
      borrowers: 0,
      stop: new AbortController(),
    };
    this.#entries.set(id, entry);
    if (this.#signal !== undefined) this.#run(entry);
    return { informer, entry, id };
  }

  #run({ informer, stop }: Entry): void {
    if (this.#signal?.aborted === true) stop.abort();
    const run = informer.run(stop.signal);
    this.#runs.add(run);
    void run.then(() => this.#runs.delete(run));
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
