// A cache of one resource with indexes and change listeners, kept current by a reflector.
import type { ApiClient } from "./api-client";
import { compactor } from "./compact";
import { errorMessage } from "../../lib/failure";
import type { Selection } from "./list";
import { silentLogger, type Logger } from "./log";
import { keyOf, resourceName, type KubernetesObject, type Resource } from "./object";
import { ObjectMap } from "./object-map";
import {
  Reflector,
  type ReflectorOptions,
  type ReflectorState,
  type Replacement,
  type Sink,
} from "./reflector";
import { Store, type Change, type IndexFunction } from "./store";
import { dropManagedFields, type Transform } from "./transform";

/** How an informer selects, shapes and reads. */
export interface InformerOptions<T> extends Selection, ReflectorOptions {
  /** @default drops managed fields */
  transform?: Transform<T>;
}

/** Hears of every change, in order. It must be quick and must not throw; put a key in a queue and be done. */
export type ChangeListener<T> = (change: Change<T>) => void;

/** A local copy of the objects of a resource that follows the server, shared by all who are interested. */
export class Informer<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  readonly #store = new Store<T>();
  readonly #reflector: Reflector<T>;
  readonly #listeners = new Set<ChangeListener<T>>();
  readonly #transform: Transform<T>;
  readonly #log: Logger;
  readonly #compact: (object: T) => T;
  readonly #leaveMetrics: () => void;
  #synced = false;
  #waiting: (() => void)[] = [];
  readonly #afterGaps = new Set<() => void>();

  constructor(client: ApiClient, resource: Resource<T>, options: InformerOptions<T> = {}) {
    this.resource = resource;
    this.#transform = options.transform ?? dropManagedFields;
    this.#log = options.log ?? silentLogger;
    this.#compact = compactor(resource);
    const sink: Sink<T> = {
      replacement: () => this.#replacement(),
      upsert: (object) => this.#upsert(this.#shape(object)),
      remove: (object) => this.#remove(keyOf(object)),
    };
    this.#reflector = new Reflector(client, resource, options, sink, options);
    const labels = {
      resource: resourceName(resource),
      namespace: options.namespace ?? "",
      selector: `${options.labelSelector ?? ""}${options.fieldSelector ?? ""}`,
    };
    this.#leaveMetrics = client.metrics.cacheObjects.source(labels, () => this.#store.size);
  }

  /** Whether the first full list is in. From then on it stays true. */
  get hasSynced(): boolean {
    return this.#synced;
  }

  /** How the watch fares. */
  get state(): ReflectorState {
    return this.#reflector.state;
  }

  get size(): number {
    return this.#store.size;
  }

  /** The object under a key. It is shared: copy it before changing it. */
  get(key: string): T | undefined {
    return this.#store.get(key);
  }

  list(): T[] {
    return this.#store.list();
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#store.addIndex(name, valuesOf);
  }

  byIndex(name: string, value: string): T[] {
    return this.#store.byIndex(name, value);
  }

  /** Hears of every change from now on, beginning with what is already there. Gives a function to stop it. */
  onChange(listener: ChangeListener<T>): () => void {
    this.#listeners.add(listener);
    for (const object of this.#store.list())
      this.#notify(listener, { key: keyOf(object), before: undefined, after: object });
    return () => this.#listeners.delete(listener);
  }

  /**
   * Calls back when a new list has closed a gap in the watch. What was made and deleted within the gap was never seen, so nobody hears of
   * it: whoever made it has to look again.
   */
  onGap(listener: () => void): void {
    this.#afterGaps.add(listener);
  }

  /** Resolves after the first full list. */
  synced(): Promise<void> {
    if (this.#synced) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Follows the server until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#reflector.run(signal);
    this.#leaveMetrics();
  }

  #replacement(): Replacement<T> {
    let seen = new ObjectMap<T>();
    return {
      page: (items) => {
        for (const item of items) {
          const known = this.#store.counterpart(item);
          // The copy that is already here is kept: a relist then needs no second set of objects.
          seen.put(known !== undefined && isSame(known, item) ? known : this.#shape(item));
        }
      },
      remove: (object) => {
        seen.remove(keyOf(object));
      },
      restart: () => {
        seen = new ObjectMap();
      },
      commit: () => {
        if (this.#store.size === 0) this.#adopt(seen);
        else this.#replace(seen);
        const isFirst = !this.#synced;
        this.#synced = true;
        for (const resolve of this.#waiting.splice(0)) resolve();
        if (!isFirst) for (const listener of this.#afterGaps) listener();
      },
    };
  }

  // The first list of many objects goes in as it is: going through it object by object would take a map the more.
  #adopt(objects: ObjectMap<T>): void {
    this.#store.adopt(objects);
    if (this.#listeners.size === 0) return;
    for (const object of objects.list()) {
      this.#announce({ key: keyOf(object), before: undefined, after: object });
    }
  }

  #replace(objects: ObjectMap<T>): void {
    // Collected first: removing while walking the store would be fine for a Map, but listeners may look.
    const gone: string[] = [];
    for (const object of this.#store.list()) {
      if (objects.counterpart(object) === undefined) gone.push(keyOf(object));
    }
    for (const key of gone) this.#remove(key);
    for (const object of objects.values()) this.#upsert(object);
  }

  #shape(object: T): T {
    return this.#compact(this.#transform(object));
  }

  #upsert(object: T): void {
    const known = this.#store.counterpart(object);
    if (known !== undefined && isSame(known, object)) return;
    if (known !== undefined && known.metadata.uid !== object.metadata.uid) this.#remove(keyOf(known));
    this.#announce(this.#store.put(object));
  }

  #remove(key: string): void {
    const change = this.#store.remove(key);
    if (change !== undefined) this.#announce(change);
  }

  #announce(change: Change<T>): void {
    for (const listener of this.#listeners) this.#notify(listener, change);
  }

  #notify(listener: ChangeListener<T>, change: Change<T>): void {
    try {
      listener(change);
    } catch (error) {
      this.#log.error("A listener of the cache failed; the others go on.", {
        key: change.key,
        cause: errorMessage(error),
      });
    }
  }
}

function isSame(a: KubernetesObject, b: KubernetesObject): boolean {
  return a.metadata.resourceVersion === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid;
}
