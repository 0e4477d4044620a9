import { setTimeout as pause } from "node:timers/promises";
import { OperationTimeout } from "../../shell/operations";

/** How long an operation may take, and the way to wait within it. */
export class Deadline {
  private readonly end: number;

  constructor(
    milliseconds: number,
    private readonly signal?: AbortSignal,
    private readonly onWait?: (what: string) => void,
  ) {
    this.end = Date.now() + milliseconds;
  }

  /** Whether the time is over. */
  get over(): boolean {
    return Date.now() >= this.end || this.signal?.reason instanceof OperationTimeout;
  }

  /** A shorter deadline within this one. */
  within(milliseconds: number): Deadline {
    return new Deadline(Math.min(milliseconds, Math.max(0, this.end - Date.now())), this.signal, this.onWait);
  }

  /** Waits a little, longer each time and never twice the same, so that many waiters spread out. */
  async rest(attempt: number): Promise<void> {
    const longest = Math.min(3_000, 50 * 2 ** Math.min(attempt, 10));
    const milliseconds = longest / 2 + (Math.random() * longest) / 2;
    const left = Math.max(1, this.end - Date.now());
    await pause(Math.min(milliseconds, left), undefined, { signal: this.signal }).catch((error: unknown) => {
      // The timeout ends the wait and not the operation: whoever waits says best what it waited for.
      if (!(this.signal?.reason instanceof OperationTimeout)) throw this.signal?.reason ?? error;
    });
  }

  /** Asks until there is an answer; fails with what it waited for when the time is over. */
  async until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const answer = await ask();
      if (answer !== undefined) return answer;
      if (this.over)
        throw new Error(`Timed out waiting until ${what}. Raise customTimeouts if it only needs longer.`);
      if (attempt === 0) this.onWait?.(what);
      await this.rest(attempt);
    }
  }
}
