// The clock of the runtime: wall time, monotonic time and timers behind one interface.

/** Time as the runtime sees it; tests inject their own. */
export interface Clock {
  /** Wall clock in milliseconds since 1970: for what people read, never for measuring how long something took. */
  now(): number;
  /** Milliseconds that only go forward, whatever happens to the wall clock: for leases, deadlines and durations. */
  monotonic(): number;
  /** Calls back once after `ms`; the function given back cancels it. */
  schedule(ms: number, call: () => void): () => void;
}

// Longer timers overflow in Node and would fire at once.
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(ms, call) {
    const timer = setTimeout(call, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Waits for `ms`, or until the signal aborts; never rejects. Says whether the whole time passed. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve(false);
      return;
    }
    const onAbort = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = clock.schedule(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve(true);
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
