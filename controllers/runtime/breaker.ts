// Stops asking who does not answer, and tries again with one request at a time.
import { ApiError, ConnectionError } from "./api-error";
import { backoffBound, type Random } from "./backoff";
import { systemClock, type Clock } from "./clock";

/** When a breaker opens, and for how long. */
export interface BreakerOptions {
  /** It opens after so many failures in a row. @default 5 */
  failures?: number;
  /** The first time that it stays open. @default 1000 */
  baseMs?: number;
  /** The longest. @default 60000 */
  capMs?: number;
  clock?: Clock;
  random?: Random;
}

/**
 * Counts failures of one server. After five in a row it is open: nothing is asked for a while, then one request is let
 * through as a probe, and with its success everything is again.
 */
export class Breaker {
  readonly #options: Required<BreakerOptions>;
  #failures = 0;
  #openUntil = -Infinity;

  constructor({ failures = 5, baseMs = 1000, capMs = 60_000, ...rest }: BreakerOptions = {}) {
    this.#options = { failures, baseMs, capMs, clock: systemClock, random: Math.random, ...rest };
  }

  /** Whether it has opened and no probe has succeeded since. */
  get isTripped(): boolean {
    return this.#failures >= this.#options.failures;
  }

  /** How long nothing may be asked; 0 if something may. */
  get waitMs(): number {
    return Math.max(0, this.#openUntil - this.#options.clock.monotonic());
  }

  /** There was no answer, or one that says that the server does not work. */
  failed(): void {
    this.#failures += 1;
    if (!this.isTripped) return;
    const { failures, baseMs, capMs, clock, random } = this.#options;
    const bound = backoffBound(this.#failures - failures, baseMs, capMs);
    this.#openUntil = clock.monotonic() + bound / 2 + (random() * bound) / 2;
  }

  /** There was an answer, whatever it said. */
  answered(): void {
    this.#failures = 0;
    this.#openUntil = -Infinity;
  }
}

/** Whether an error says that a server does not work, and not that it refuses what was asked. */
export function isOutage(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && error.code >= 500);
}
