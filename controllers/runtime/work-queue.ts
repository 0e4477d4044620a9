// A queue of keys without duplicates, with delays and backoff after failures, as in client-go.
import { backoffBound, type Random } from "./backoff";
import { systemClock, type Clock } from "./clock";
import { Metrics } from "./metrics";

/** How a queue behaves. */
export interface WorkQueueOptions {
  /** Names the queue in metrics. */
  name?: string;
  clock?: Clock;
  metrics?: Metrics;
  random?: Random;
  /** The bounds of the wait after failures of a key. @default 50 ms doubling up to 5 minutes */
  backoff?: { baseMs?: number; capMs?: number };
}

/**
 * Keys that wait for work. A key is in it once however often it is added, is with one worker at a time, and comes
 * again if it was added while it was being worked on. Nothing is ever dropped: a key leaves only through a worker.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #labels: { name: string };
  readonly #random: Random;
  readonly #baseMs: number;
  readonly #capMs: number;
  /** Keys that wait, in order of their coming, with the time of it: a Map keeps that order. */
  readonly #waiting = new Map<string, number>();
  readonly #working = new Set<string>();
  /** Keys that were added while they were being worked on. */
  readonly #again = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #delayed = new Map<string, { due: number; cancel: () => void }>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  #closed = false;

  constructor(options: WorkQueueOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#metrics = options.metrics ?? new Metrics();
    this.#labels = { name: options.name ?? "default" };
    this.#random = options.random ?? Math.random;
    this.#baseMs = options.backoff?.baseMs ?? 50;
    this.#capMs = options.backoff?.capMs ?? 300_000;
    this.#metrics.queueDepth.source(this.#labels, () => this.#waiting.size);
  }

  /** Keys that wait for a worker now. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** Keys that will come by themselves later. */
  get delayed(): number {
    return this.#delayed.size;
  }

  /** Adds a key for now. A later time that was set for it no longer counts. */
  add(key: string): void {
    this.#cancelDelay(key);
    if (this.#working.has(key)) {
      this.#again.add(key);
      return;
    }
    if (this.#waiting.has(key)) return;
    this.#metrics.queueAdds.add(this.#labels);
    this.#waiting.set(key, this.#clock.monotonic());
    this.#hand();
  }

  /** Adds a key for later. Of several times the earliest counts; a key that waits already needs none. */
  addAfter(key: string, ms: number): void {
    if (ms <= 0) {
      this.add(key);
      return;
    }
    if (this.#waiting.has(key) || this.#again.has(key)) return;
    const due = this.#clock.monotonic() + ms;
    const known = this.#delayed.get(key);
    if (known !== undefined && known.due <= due) return;
    known?.cancel();
    const cancel = this.#clock.schedule(ms, () => {
      this.#delayed.delete(key);
      // Timers are cut at 24 days; what is longer waits again.
      const left = due - this.#clock.monotonic();
      if (left > 1) this.addAfter(key, left);
      else this.add(key);
    });
    this.#delayed.set(key, { due, cancel });
  }

  /** Adds a key for later, and later each time until {@link forget}. Gives the wait. */
  addAfterFailure(key: string, atLeastMs = 0): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.#metrics.queueRetries.add(this.#labels);
    const bound = backoffBound(failures, this.#baseMs, this.#capMs);
    // Half fixed, half drawn: keys that failed together part, and none comes back at once.
    const wait = Math.max(atLeastMs, bound / 2 + (this.#random() * bound) / 2);
    this.addAfter(key, wait);
    return wait;
  }

  /** How often a key failed since it was last forgotten. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The key did well: the next failure counts as its first. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Waits for a key; gives undefined once the signal aborts. Say {@link done} when finished with the key. */
  take(signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted || this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const taker = (key: string | undefined): void => {
        signal.removeEventListener("abort", leave);
        resolve(key);
      };
      const leave = (): void => {
        this.#takers.splice(this.#takers.indexOf(taker), 1);
        resolve(undefined);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#takers.push(taker);
      this.#hand();
    });
  }

  /** The worker is finished with the key. */
  done(key: string): void {
    if (!this.#working.delete(key)) return;
    if (this.#again.delete(key)) this.add(key);
  }

  /** For the end of the process. What waits is queued again by the caches of the next one. */
  close(): void {
    this.#closed = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    for (const resolve of this.#takers.splice(0)) resolve(undefined);
  }

  #hand(): void {
    while (this.#takers.length > 0 && this.#waiting.size > 0) {
      const [first] = this.#waiting;
      const taker = this.#takers.shift();
      if (first === undefined || taker === undefined) return;
      const [key, since] = first;
      this.#waiting.delete(key);
      this.#working.add(key);
      this.#metrics.queueSeconds.observe((this.#clock.monotonic() - since) / 1000, this.#labels);
      taker(key);
    }
  }

  #cancelDelay(key: string): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
  }
}
