// How long nodes have been in work, by a clock that does not jump.
import type { NodeUpgradeStatus } from "../../../api";

/** How long a node has been in work and in its phase, in seconds. */
export interface Elapsed {
  work: number;
  phase: number;
}

/**
 * Adds up the time that coordinators have seen a node in work: what status says the ones before had seen, and what this
 * process sees on its monotonic clock. Wall clocks are never compared, so neither one that is set nor a new leader whose
 * clock differs ends a node's work too early.
 */
export class Stopwatch {
  readonly #monotonic: () => number;
  readonly #begun = new Map<string, number>();

  /** Takes a clock that gives milliseconds and never goes back. */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** How long the node of an entry has been at it. */
  elapsed(uid: string, entry: NodeUpgradeStatus): Elapsed {
    const [work, phase] = keysOf(uid, entry);
    return {
      work: this.#since(work, entry.secondsInWork ?? 0),
      phase: this.#since(phase, entry.secondsInPhase ?? 0),
    };
  }

  /** Forgets all but these entries. */
  keepOnly(uid: string, entries: readonly NodeUpgradeStatus[]): void {
    const kept = new Set(entries.flatMap((entry) => keysOf(uid, entry)));
    for (const key of this.#begun.keys()) if (!kept.has(key)) this.#begun.delete(key);
  }

  #since(key: string, before: number): number {
    const now = this.#monotonic();
    const begun = this.#begun.get(key) ?? now - before * 1000;
    this.#begun.set(key, begun);
    return (now - begun) / 1000;
  }
}

function keysOf(
  uid: string,
  { name, startedAt = "", phase, phaseStartedAt = "" }: NodeUpgradeStatus,
): [work: string, phase: string] {
  const work = `${uid} ${name} ${startedAt}`;
  return [work, `${work} ${phase} ${phaseStartedAt}`];
}
