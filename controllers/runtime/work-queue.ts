// A queue of keys without duplicates, with delays and backoff after failures, as in client-go, and fair between groups.
import { backoffBound, type Random } from "./backoff";
import { Breaker, type BreakerOptions } from "./breaker";
import { systemClock, type Clock } from "./clock";
import { Metrics } from "./metrics";

/** How keys that belong together, such as those of one cluster, share the workers with others. */
export interface GroupOptions {
  /** The group of a key. Groups take turns, however many keys each has. */
  of: (key: string) => string;
  /** So many keys of a group are worked on at once: one that hangs leaves the other workers to the others. @default no limit */
  inFlight?: number;
  /** When a group whose server does not answer is left alone. */
  breaker?: Omit<BreakerOptions, "clock" | "random">;
}

/** How a queue behaves. */
export interface WorkQueueOptions {
  /** Names the queue in metrics. */
  name?: string;
  clock?: Clock;
  metrics?: Metrics;
  random?: Random;
  /** The bounds of the wait after failures of a key. @default 50 ms doubling up to 5 minutes */
  backoff?: { baseMs?: number; capMs?: number };
  /** @default all keys are one group, without limit and breaker */
  groups?: GroupOptions;
}

interface Group {
  /** Keys that wait, in order of their coming, with the time of it: a Map keeps that order. */
  waiting: Map<string, number>;
  working: number;
  breaker: Breaker;
  /** Ends the wait for an open breaker. */
  cancelWait: (() => void) | undefined;
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
  readonly #groupOptions: GroupOptions;
  readonly #isGrouped: boolean;
  /** In the order of their turns. A group without keys is forgotten once its server answers. */
  readonly #groups = new Map<string, Group>();
  #depth = 0;
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
    this.#groupOptions = options.groups ?? { of: () => "" };
    this.#isGrouped = options.groups !== undefined;
    this.#metrics.queueDepth.source(this.#labels, () => this.#depth);
  }

  /** Keys that wait for a worker now. */
  get depth(): number {
    return this.#depth;
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
    const group = this.#groupOf(key);
    if (group.waiting.has(key)) return;
    this.#metrics.queueAdds.add(this.#labels);
    group.waiting.set(key, this.#clock.monotonic());
    this.#depth += 1;
    this.#hand();
  }

  /** Adds a key for later. Of several times the earliest counts; a key that waits already needs none. */
  addAfter(key: string, ms: number): void {
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const group = this.#groups.get(this.#groupOptions.of(key));
    if (group?.waiting.has(key) === true || this.#again.has(key)) return;
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

  /** The server behind the key's group gave no answer: after five times in a row the group is left alone for a while. */
  failed(key: string): void {
    if (this.#isGrouped) this.#groupOf(key).breaker.failed();
  }

  /** The server behind the key's group answered. */
  answered(key: string): void {
    const group = this.#groups.get(this.#groupOptions.of(key));
    if (group === undefined) return;
    group.breaker.answered();
    this.#hand();
  }

  /** Groups that are left alone because their server does not answer. */
  get tripped(): string[] {
    return [...this.#groups].filter(([, { breaker }]) => breaker.isTripped).map(([name]) => name);
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
    const group = this.#groupOf(key);
    group.working -= 1;
    if (this.#again.delete(key)) this.add(key);
    else this.#forgetIdle(this.#groupOptions.of(key), group);
    this.#hand();
  }

  /** For the end of the process. What waits is queued again by the caches of the next one. */
  close(): void {
    this.#closed = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    for (const group of this.#groups.values()) group.cancelWait?.();
    this.#delayed.clear();
    for (const resolve of this.#takers.splice(0)) resolve(undefined);
  }

  #hand(): void {
    while (this.#takers.length > 0) {
      const turn = this.#nextTurn();
      const [first] = turn?.group.waiting ?? [];
      if (turn === undefined || first === undefined) return;
      const { name, group } = turn;
      const [key, since] = first;
      group.waiting.delete(key);
      group.working += 1;
      this.#depth -= 1;
      // Its next turn comes after everybody else's.
      this.#groups.delete(name);
      this.#groups.set(name, group);
      this.#working.add(key);
      this.#metrics.queueSeconds.observe((this.#clock.monotonic() - since) / 1000, this.#labels);
      this.#takers.shift()?.(key);
    }
  }

  #nextTurn(): { name: string; group: Group } | undefined {
    const { inFlight = Infinity } = this.#groupOptions;
    for (const [name, group] of this.#groups) {
      if (group.waiting.size === 0) continue;
      const limit = group.breaker.isTripped ? 1 : inFlight;
      if (group.working >= limit) continue;
      const wait = group.breaker.waitMs;
      if (wait === 0) return { name, group };
      group.cancelWait ??= this.#clock.schedule(wait, () => {
        group.cancelWait = undefined;
        this.#hand();
      });
    }
    return undefined;
  }

  #groupOf(key: string): Group {
    const name = this.#groupOptions.of(key);
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const breaker = new Breaker({
      ...this.#groupOptions.breaker,
      clock: this.#clock,
      random: this.#random,
    });
    const group: Group = { waiting: new Map(), working: 0, breaker, cancelWait: undefined };
    this.#groups.set(name, group);
    return group;
  }

  #forgetIdle(name: string, { waiting, working, breaker }: Group): void {
    if (waiting.size === 0 && working === 0 && !breaker.isTripped) this.#groups.delete(name);
  }

  #cancelDelay(key: string): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
  }
}
