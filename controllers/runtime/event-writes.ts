// The queue of a recorder's writes: one after another, bounded, and never in the way of anything else.
import type { ApiClient } from "./api-client";
import { isNotFound } from "./api-error";
import { errorMessage } from "../../lib/failure";
import type { Logger } from "./log";

type Send = (client: ApiClient) => Promise<unknown>;

interface Pending {
  result: string;
  send: Send;
  resolve: (done: boolean) => void;
}

/**
 * Writes events one at a time, by a client with a rate limit of its own: watches and the writes that matter never wait for
 * an event. When too many wait, new ones are dropped, since an event is a remark and no state.
 */
export class EventWrites {
  readonly #client: ApiClient;
  readonly #log: Logger;
  readonly #maxPending: number;
  readonly #pending: Pending[] = [];
  #isRunning = false;

  constructor(client: ApiClient, log: Logger, maxPending: number) {
    this.#client = client;
    this.#log = log;
    this.#maxPending = maxPending;
  }

  /** Queues a write. Resolves to whether it was made, and never rejects. */
  add(result: string, send: Send): Promise<boolean> {
    if (this.#pending.length >= this.#maxPending) {
      this.#client.metrics.recordedEvents.add({ result: "dropped" });
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      this.#pending.push({ result, send, resolve });
      if (!this.#isRunning) void this.#run();
    });
  }

  /** Drops what still waits. */
  clear(): void {
    for (const { resolve } of this.#pending.splice(0)) resolve(false);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift())
      next.resolve(await this.#write(next));
    this.#isRunning = false;
  }

  async #write({ result, send }: Pending): Promise<boolean> {
    const { metrics } = this.#client;
    try {
      await send(this.#client);
      metrics.recordedEvents.add({ result });
      return true;
    } catch (error) {
      metrics.recordedEvents.add({ result: "failed" });
      // Events live for an hour on most servers; that one is gone is no news.
      if (!isNotFound(error))
        this.#log.info("An event could not be recorded.", { cause: errorMessage(error) });
      return false;
    }
  }
}
