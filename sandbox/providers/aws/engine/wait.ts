import { setTimeout as pause } from "node:timers/promises";

/** How long something may take, and the way to wait within it. */
export class Patience {
  private readonly end: number;

  constructor(
    milliseconds: number,
    private readonly signal?: AbortSignal,
  ) {
    this.end = Date.now() + milliseconds;
  }

  /** Whether the time is over. */
  get over(): boolean {
    return Date.now() >= this.end;
  }

  /** A shorter patience within this one. */
  within(milliseconds: number): Patience {
    return new Patience(Math.min(milliseconds, Math.max(0, this.end - Date.now())), this.signal);
  }

  /** Waits a little, longer each time and never twice the same, so that many waiters spread out. */
  async rest(attempt: number): Promise<void> {
    const longest = Math.min(3_000, 50 * 2 ** Math.min(attempt, 10));
    const milliseconds = longest / 2 + (Math.random() * longest) / 2;
    await pause(Math.min(milliseconds, Math.max(1, this.end - Date.now())), undefined, {
      signal: this.signal,
    });
  }

  /** Asks until there is an answer; fails with what it waited for when the time is over. */
  async until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const answer = await ask();
      if (answer !== undefined) return answer;
      if (this.over)
        throw new Error(`Waited in vain until ${what}. Raise customTimeouts if it only needs longer.`);
      await this.rest(attempt);
    }
  }
}
