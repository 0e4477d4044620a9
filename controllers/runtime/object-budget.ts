// How many writes about each object are allowed: a bucket of tokens for every key.
import type { Clock } from "./clock";

/** How much each key may have. */
export interface BudgetOptions {
  /** Tokens at once after a quiet time. */
  burst: number;
  /** How long until a key has one more. */
  refillMs: number;
  /** Keys that are remembered; whoever was quiet for longest is forgotten first. @default 2000 */
  maxKeys?: number;
}

/** A bucket of tokens for every key, so that nobody who makes one object change all the time makes us write all the time. */
export class ObjectBudget {
  readonly #options: Required<BudgetOptions>;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(options: BudgetOptions, clock: Clock) {
    this.#options = { maxKeys: 2000, ...options };
    this.#clock = clock;
  }

  /** Takes a token of a key. Says whether there was one. */
  take(key: string): boolean {
    const { burst, maxKeys } = this.#options;
    const at = this.#clock.monotonic();
    const tokens = this.#tokens(key, at);
    const allowed = tokens >= 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: allowed ? Math.min(tokens, burst) - 1 : tokens, at });
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= maxKeys) break;
      this.#buckets.delete(oldest);
    }
    return allowed;
  }

  /** How long until a key has a token. */
  waitMs(key: string): number {
    const missing = 1 - this.#tokens(key, this.#clock.monotonic());
    return Math.max(0, Math.ceil(missing * this.#options.refillMs));
  }

  #tokens(key: string, now: number): number {
    const { burst, refillMs } = this.#options;
    const known = this.#buckets.get(key);
    return known === undefined ? burst : Math.min(burst, known.tokens + (now - known.at) / refillMs);
  }
}
