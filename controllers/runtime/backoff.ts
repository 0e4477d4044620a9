// Exponential backoff with jitter, and a seeded source of random numbers for tests.

/** Gives a number in [0, 1); tests inject a seeded one. */
export type Random = () => number;

/** The bounds of an exponential backoff. */
export interface BackoffOptions {
  /** The longest first wait. @default 200 */
  baseMs?: number;
  /** The longest wait of all. @default 30000 */
  capMs?: number;
  random?: Random;
}

/**
 * Exponential backoff with full jitter: each wait is drawn from zero up to a bound that doubles, so that clients that
 * failed together do not come back together. It has no last attempt.
 */
export class Backoff {
  readonly #baseMs: number;
  readonly #capMs: number;
  readonly #random: Random;
  #failures = 0;

  constructor({ baseMs = 200, capMs = 30_000, random = Math.random }: BackoffOptions = {}) {
    this.#baseMs = baseMs;
    this.#capMs = capMs;
    this.#random = random;
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** The next wait in milliseconds. */
  next(): number {
    return this.#random() * backoffBound(this.#failures++, this.#baseMs, this.#capMs);
  }

  reset(): void {
    this.#failures = 0;
  }
}

/** The upper bound of the wait after a number of failures. */
export function backoffBound(failures: number, baseMs: number, capMs: number): number {
  // The exponent is bounded because 2 ** 1100 is Infinity, and 0 * Infinity would be a wait of NaN.
  return Math.min(capMs, baseMs * 2 ** Math.min(failures, 50));
}

/** A repeatable source of random numbers (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
