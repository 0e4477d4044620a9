import { setTimeout as pause } from "node:timers/promises";
import { errorMessage, Failure } from "./failure";

/** How long to wait, and how often to poll. */
export interface WaitOptions {
  timeoutMs: number;
  /** @default 75 */
  intervalMs?: number;
  /** Ends the wait with the signal's reason. */
  signal?: AbortSignal;
}

/** What a probe returns while the condition does not hold: false, or a sentence about what it found instead. */
export type NotYet = false | string;

/** Polls until the probe returns true. A probe that throws counts as "not yet"; its message is reported at the deadline. */
export async function waitFor(
  what: string,
  probe: () => true | NotYet | Promise<true | NotYet>,
  options: WaitOptions,
): Promise<void> {
  const end = performance.now() + options.timeoutMs;
  let found: string | undefined;
  for (;;) {
    options.signal?.throwIfAborted();
    const began = performance.now();
    try {
      const answer = await probe();
      if (answer === true) return;
      if (answer !== false) found = answer;
    } catch (error) {
      found = errorMessage(error);
    }
    options.signal?.throwIfAborted();
    if (performance.now() >= end) {
      const last = found === undefined ? "" : ` Last seen: ${found}`;
      throw new Failure(`Waited ${options.timeoutMs / 1000} s for ${what}.${last}`);
    }
    // A slow probe is a burden on what it polls, which gets as long again to go on with its work.
    await pause(Math.max(options.intervalMs ?? 75, performance.now() - began));
  }
}
