// The objects of one resource with indexes; every change is returned as before and after.
import { keyOf, type KubernetesObject } from "./object";
import { ObjectMap } from "./object-map";

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
  #objects = new ObjectMap<T>();
  readonly #indexes = new Map<string, Index<T>>();

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  /** The object that stands where this one would stand. */
  counterpart(object: KubernetesObject): T | undefined {
    return this.#objects.counterpart(object);
  }

  list(): T[] {
    return this.#objects.list();
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  /** Adds an index; objects that are already there are found by it too. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    if (this.#indexes.has(name))
      throw new Error(`There is an index ${JSON.stringify(name)} already: choose another name.`);
    const index = new Index(valuesOf);
    for (const object of this.#objects.values()) index.add(object);
    this.#indexes.set(name, index);
  }

  /** The objects that an index knows under a value. */
  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (index === undefined) {
      const known = [...this.#indexes.keys()].join(", ") || "none";
      throw new Error(`There is no index ${JSON.stringify(name)}; there are: ${known}.`);
    }
    return Array.from(index.objects(value));
  }

  /** Takes over a whole map of objects. Only for a store that is empty: the map is not copied. */
  adopt(objects: ObjectMap<T>): void {
    this.#objects = objects;
    for (const index of this.#indexes.values()) for (const object of objects.values()) index.add(object);
  }

  put(object: T): Change<T> {
    const before = this.#objects.put(object);
    for (const index of this.#indexes.values()) {
      if (before !== undefined) index.remove(before);
      index.add(object);
    }
    return { key: keyOf(object), before, after: object };
  }

  remove(key: string): Change<T> | undefined {
    const before = this.#objects.remove(key);
    if (before === undefined) return undefined;
    for (const index of this.#indexes.values()) index.remove(before);
    return { key, before, after: undefined };
  }
}

class Index<T> {
  readonly #objects = new Map<string, Set<T>>();

  constructor(readonly valuesOf: IndexFunction<T>) {}

  objects(value: string): Iterable<T> {
    return this.#objects.get(value) ?? [];
  }

  add(object: T): void {
    for (const value of this.valuesOf(object)) {
      const objects = this.#objects.get(value);
      if (objects === undefined) this.#objects.set(value, new Set([object]));
      else objects.add(object);
    }
  }

  remove(object: T): void {
    for (const value of this.valuesOf(object)) {
      const objects = this.#objects.get(value);
      objects?.delete(object);
      if (objects?.size === 0) this.#objects.delete(value);
    }
  }
}
