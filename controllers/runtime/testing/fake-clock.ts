// A clock for tests that advances only when a test says so.
import type { Clock } from "../clock";

/** A clock that stands still until it is advanced. */
export class FakeClock implements Clock {
  #now: number;
  #monotonic = 0;
  #timers: { at: number; call: () => void; order: number }[] = [];
  #order = 0;

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  schedule(ms: number, call: () => void): () => void {
    const timer = { at: this.#monotonic + Math.max(0, ms), call, order: this.#order++ };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** When the next timer goes off, if there is one. */
  get next(): number | undefined {
    return this.#timers.length === 0 ? undefined : Math.min(...this.#timers.map(({ at }) => at));
  }

  /** Moves on; timers go off in order, each at its own time, and what waits for them has its turn. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    for (;;) {
      await settle();
      const [timer] = this.#timers
        .filter(({ at }) => at <= end)
        .sort((a, b) => a.at - b.at || a.order - b.order);
      if (timer === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== timer);
      this.#move(timer.at - this.#monotonic);
      timer.call();
    }
    this.#move(end - this.#monotonic);
    await settle();
  }

  /** Sets the wall clock, as an operator or a time server does. Time that has passed is not touched. */
  setWall(now: number): void {
    this.#now = now;
  }

  #move(ms: number): void {
    this.#now += ms;
    this.#monotonic += ms;
  }
}

/** Lets everything that is ready to go on do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
