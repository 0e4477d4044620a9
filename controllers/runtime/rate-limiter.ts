// A token bucket for requests that can also be paused, as by Retry-After.
import { sleep, systemClock, type Clock } from "./clock";

/** How many requests a client may make. */
export interface RateLimit {
  /** Requests a second over time. @default 200 */
  perSecond?: number;
  /** Requests at once after a quiet time. @default 400 */
  burst?: number;
}

/**
 * A token bucket. The defaults are generous, because API servers have priority and fairness of their own; it is there
 * for the controller that has gone wild. When a server says `Retry-After`, nobody asks it again before that time.
 */
export class RateLimiter {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #at: number;
  #pausedUntil = -Infinity;

  constructor({ perSecond = 200, burst = 400 }: RateLimit = {}, clock: Clock = systemClock) {
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  /** Nothing is let through for this long. A shorter pause never shortens a longer one. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonic() + ms);
  }

  /** Waits for a turn. Rejects with the signal's reason when it aborts first. */
  async take(signal?: AbortSignal): Promise<void> {
    // A token is taken at once and may be owed: turns are thus given in the order of asking.
    this.#refill();
    this.#tokens -= 1;
    let wait = this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
    for (;;) {
      wait = Math.max(wait, this.#pausedUntil - this.#clock.monotonic());
      if (wait <= 0) break;
      await sleep(this.#clock, wait, signal);
      signal?.throwIfAborted();
      wait = 0;
    }
    signal?.throwIfAborted();
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMs);
    this.#at = now;
  }
}
