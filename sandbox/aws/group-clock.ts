import { setTimeout as pause } from "node:timers/promises";
import { at } from "../../lib/json";

const TICK_MS = 500;

/** Lets time pass for auto scaling groups while one of them has something that takes time: a hook, or a refresh. */
export class GroupClock {
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  #asked = false;

  /** `tick` lets time pass, and says whether something `changed` and whether groups are still `busy`. */
  constructor(
    private readonly tick: () => Promise<unknown>,
    private readonly changed: () => Promise<void>,
  ) {}

  /** Something happened to groups: it is to be seen whether that takes time. */
  wake(): void {
    this.#asked = true;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  /** Ends; a tick that is under way is waited for. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    let busy = true;
    while (busy || this.#asked) {
      this.#asked = false;
      try {
        await pause(TICK_MS, undefined, { signal });
      } catch {
        return;
      }
      const said = await this.tick().catch(() => undefined);
      busy = at(said, "busy") === true;
      if (at(said, "changed") === true) await this.changed().catch(() => {});
    }
  }
}
