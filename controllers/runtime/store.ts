import { keyOf, type KubernetesObject } from "./object";

/** Gives the values under which an object can be found. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** One change of an object; an added one has no `before`, a deleted one no `after`. */
export interface Change<T> {
  key: string;
  before: T | undefined;
  after: T | undefined;
}

/** Objects by key, with indexes. What it hands out is shared and must not be changed. */
export class Store<T extends KubernetesObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return Array.from(this.#objects.values());
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  /** Adds an index; objects that are already there are found by it too. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    if (this.#indexes.has(name))
      throw new Error(`There is an index ${JSON.stringify(name)} already: choose another name.`);
    const index = new Index(valuesOf);
    for (const [key, object] of this.#objects) index.add(key, object);
    this.#indexes.set(name, index);
  }

  /** The objects that an index knows under a value. */
  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (index === undefined) {
      const known = [...this.#indexes.keys()].join(", ") || "none";
      throw new Error(`There is no index ${JSON.stringify(name)}; there are: ${known}.`);
    }
    const found: T[] = [];
    for (const key of index.keys(value)) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  put(object: T): Change<T> {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) {
      if (before !== undefined) index.remove(key, before);
      index.add(key, object);
    }
    return { key, before, after: object };
  }

  remove(key: string): Change<T> | undefined {
    const before = this.#objects.get(key);
    if (before === undefined) return undefined;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.remove(key, before);
    return { key, before, after: undefined };
  }
}

class Index<T> {
  readonly #keys = new Map<string, Set<string>>();

  constructor(readonly valuesOf: IndexFunction<T>) {}

  keys(value: string): Iterable<string> {
    return this.#keys.get(value) ?? [];
  }

  add(key: string, object: T): void {
    for (const value of this.valuesOf(object)) {
      const keys = this.#keys.get(value);
      if (keys === undefined) this.#keys.set(value, new Set([key]));
      else keys.add(key);
    }
  }

  remove(key: string, object: T): void {
    for (const value of this.valuesOf(object)) {
      const keys = this.#keys.get(value);
      keys?.delete(key);
      if (keys?.size === 0) this.#keys.delete(value);
    }
  }
}
