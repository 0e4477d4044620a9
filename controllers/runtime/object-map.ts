// A map of objects by namespace and name that needs little memory.
import { keyOf, refOf, type KubernetesObject } from "./object";

/**
 * Objects by namespace and name. The names of the objects themselves are the keys: a text `namespace/name` for each
 * would be a twentieth of a small object.
 */
export class ObjectMap<T extends KubernetesObject> {
  readonly #namespaces = new Map<string, Map<string, T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): T | undefined {
    const { namespace, name } = refOf(key);
    return this.#namespaces.get(namespace ?? "")?.get(name);
  }

  /** The object that stands where this one would stand. */
  counterpart({ metadata: { namespace, name } }: KubernetesObject): T | undefined {
    return this.#namespaces.get(namespace ?? "")?.get(name);
  }

  /** Stores an object; returns the one that it replaces. */
  put(object: T): T | undefined {
    const { namespace = "", name } = object.metadata;
    let names = this.#namespaces.get(namespace);
    if (names === undefined) {
      names = new Map();
      this.#namespaces.set(namespace, names);
    }
    const before = names.get(name);
    names.set(name, object);
    if (before === undefined) this.#size += 1;
    return before;
  }

  /** Takes an object away; gives it if it was there. */
  remove(key: string): T | undefined {
    const { namespace = "", name } = refOf(key);
    const names = this.#namespaces.get(namespace);
    const before = names?.get(name);
    if (names === undefined || before === undefined) return undefined;
    names.delete(name);
    if (names.size === 0) this.#namespaces.delete(namespace);
    this.#size -= 1;
    return before;
  }

  *values(): IterableIterator<T> {
    for (const names of this.#namespaces.values()) yield* names.values();
  }

  *keys(): IterableIterator<string> {
    for (const object of this.values()) yield keyOf(object);
  }

  list(): T[] {
    const all: T[] = [];
    for (const names of this.#namespaces.values()) for (const object of names.values()) all.push(object);
    return all;
  }
}
