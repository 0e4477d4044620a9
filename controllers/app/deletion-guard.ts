// Holds deletions back that look like a mistake: most of a kind going within a short time.
import { systemClock, type Clock, type Informer, type KubernetesObject } from "../runtime";
import type { CommonStatus } from "./custom-object";

/** With the value `true` on an object, it may be deleted even when many are deleted at once. */
export const ALLOW_DELETION = "fleetwright.dev/allow-deletion";
/** The reason that stands in the status of what is held back; it also tells the next leader. */
export const MASS_DELETION = "MassDeletion";

const WINDOW_MINUTES = 10;

/** How many deletions within the window, and what share of all objects, count as a mistake. */
export interface MassDeletion {
  /** @default 10 */
  atLeast?: number;
  /** @default 0.5 */
  share?: number;
}

/** Whether `going` of `total` deletions within the window look like a mistake. */
export function isMassDeletion(
  going: number,
  total: number,
  { atLeast = 10, share = 0.5 }: MassDeletion = {},
): boolean {
  return going >= atLeast && going > total * share;
}

/** What is held back, by uid, and the numbers behind it. */
export interface Count {
  held: ReadonlySet<string>;
  going: number;
  total: number;
}

/** Which of the objects are held back, when so many others went within the window and these were held back before. */
export function heldBack(
  objects: readonly KubernetesObject[],
  gone: number,
  before: ReadonlySet<string>,
): Count {
  const leaving = objects.filter(
    (object) => object.metadata.deletionTimestamp !== undefined && !isConfirmed(object),
  );
  const going = leaving.length + gone;
  const total = objects.length + gone;
  const mass = isMassDeletion(going, total);
  // Once held back is held back: the window passes, but nobody has said that the deletion was meant.
  const held = leaving.filter((object) => mass || before.has(object.metadata.uid ?? "") || isMarked(object));
  return { held: new Set(held.map(({ metadata }) => metadata.uid ?? "")), going, total };
}

/**
 * Decides which objects of a kind may really be deleted. When a script or a broken feed deletes most of a kind, all at
 * once or one after another, what they stand for in the cluster stays until somebody confirms the deletion.
 *
 * What went within the window is remembered by this process. What is held back is so until it is confirmed, also by
 * the next leader, which reads it in the status. A leader that has only just started knows nothing of what went before,
 * so that a restart gives a deletion one by one nine objects more; a standby that was running knows all.
 */
export class DeletionGuard<T extends KubernetesObject> {
  readonly #informer: Informer<T>;
  readonly #clock: Clock;
  /** When objects went without a confirmation, by name: one that was made again is not gone. */
  readonly #gone = new Map<string, number>();
  #held: ReadonlySet<string> = new Set();
  #count: Count | undefined;

  constructor(informer: Informer<T>, clock: Clock = systemClock) {
    this.#informer = informer;
    this.#clock = clock;
    informer.onChange(({ key, before, after }) => {
      this.#count = undefined;
      if (after !== undefined) this.#gone.delete(key);
      else if (before !== undefined && !isConfirmed(before)) this.#gone.set(key, clock.monotonic());
    });
  }

  /** Whether the object is being deleted and the deletion is not held back. */
  confirmsDeletion(object: T): boolean {
    return object.metadata.deletionTimestamp !== undefined && !this.holdsBack(object);
  }

  /** Whether the object's deletion is held back. */
  holdsBack({ metadata }: T): boolean {
    return this.#current().held.has(metadata.uid ?? "");
  }

  /** Why deletions are held back, and what to do. */
  get message(): string {
    const { going, total } = this.#current();
    const { plural } = this.#informer.resource;
    return `${going} of ${total} ${plural} were deleted within ${WINDOW_MINUTES} minutes or are held back since, which looks like a mistake; what this one stands for is kept. To confirm the deletion, annotate it with ${ALLOW_DELETION}=true.`;
  }

  #current(): Count {
    if (this.#count === undefined) {
      this.#count = this.#evaluate();
      this.#held = this.#count.held;
    }
    return this.#count;
  }

  #evaluate(): Count {
    const since = this.#clock.monotonic() - WINDOW_MINUTES * 60_000;
    for (const [key, at] of this.#gone) if (at < since) this.#gone.delete(key);
    return heldBack(this.#informer.list(), this.#gone.size, this.#held);
  }
}

function isConfirmed({ metadata }: KubernetesObject): boolean {
  return metadata.annotations?.[ALLOW_DELETION] === "true";
}

/** Whether a leader before us held the object's deletion back and said so. */
function isMarked(object: KubernetesObject & { status?: Partial<CommonStatus> }): boolean {
  return object.status?.conditions?.some(({ reason }) => reason === MASS_DELETION) === true;
}
