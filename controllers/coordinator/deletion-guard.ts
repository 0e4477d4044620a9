import type { Informer, KubernetesObject } from "../runtime";

/** With the value `true` on an object, it may be deleted even when many are deleted at once. */
export const ALLOW_DELETION = "fleetwright.dev/allow-deletion";

/** How many deletions at once, and what share of all objects, count as a mistake. */
export interface MassDeletion {
  /** @default 10 */
  atLeast?: number;
  /** @default 0.5 */
  share?: number;
}

/** Whether `going` of `total` deletions at once look like a mistake. */
export function isMassDeletion(
  going: number,
  total: number,
  { atLeast = 10, share = 0.5 }: MassDeletion = {},
): boolean {
  return going >= atLeast && going > total * share;
}

/**
 * Decides which objects of a kind may really be deleted. When a script or a broken feed deletes most of a kind at once,
 * what they stand for in the cluster stays until somebody confirms the deletion.
 */
export class DeletionGuard<T extends KubernetesObject> {
  readonly #informer: Informer<T>;
  #held: ReadonlySet<string> | undefined;

  constructor(informer: Informer<T>) {
    this.#informer = informer;
    informer.onChange(() => (this.#held = undefined));
  }

  /** Whether the object is being deleted and the deletion is not held back. */
  confirmsDeletion(object: T): boolean {
    return object.metadata.deletionTimestamp !== undefined && !this.holdsBack(object);
  }

  /** Whether the object's deletion is held back. */
  holdsBack({ metadata }: T): boolean {
    this.#held ??= this.#count();
    return this.#held.has(metadata.name);
  }

  /** Why deletions are held back, and what to do. */
  get message(): string {
    return `${this.#held?.size ?? 0} of ${this.#informer.size} ${this.#informer.resource.plural} are being deleted at once, which looks like a mistake; their objects are kept. To confirm the deletion, annotate them with ${ALLOW_DELETION}=true.`;
  }

  #count(): ReadonlySet<string> {
    const objects = this.#informer.list();
    const going = objects.filter(
      ({ metadata }) =>
        metadata.deletionTimestamp !== undefined && metadata.annotations?.[ALLOW_DELETION] !== "true",
    );
    return new Set(
      isMassDeletion(going.length, objects.length) ? going.map(({ metadata }) => metadata.name) : [],
    );
  }
}
