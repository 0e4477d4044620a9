// Objects as the cache has them, or as this process wrote them if the cache is still behind.
import { compareVersions, type Informer, type KubernetesObject } from "../../runtime";

/**
 * Reads through a cache without forgetting one's own writes: a step that was just taken is not taken again because the
 * watch has not shown it yet.
 */
export class Latest<T extends KubernetesObject> {
  readonly #informer: Pick<Informer<T>, "get" | "list">;
  readonly #written = new Map<string, T>();

  constructor(informer: Pick<Informer<T>, "get" | "list">) {
    this.#informer = informer;
  }

  /** The object of this name; undefined if the cache has none. */
  get(name: string): T | undefined {
    return this.#newer(name, this.#informer.get(name));
  }

  /** All objects. */
  list(): T[] {
    const cached = this.#informer.list();
    return this.#written.size === 0
      ? cached
      : cached.map((object) => this.#newer(object.metadata.name, object) ?? object);
  }

  /** Remembers what the server answered to a write. */
  wrote(object: T): void {
    this.#written.set(object.metadata.name, object);
  }

  #newer(name: string, cached: T | undefined): T | undefined {
    const written = this.#written.get(name);
    if (written === undefined) return cached;
    const isBehind =
      cached !== undefined &&
      cached.metadata.uid === written.metadata.uid &&
      compareVersions(cached.metadata.resourceVersion ?? "0", written.metadata.resourceVersion ?? "0") < 0;
    if (isBehind) return written;
    this.#written.delete(name);
    return cached;
  }
}
