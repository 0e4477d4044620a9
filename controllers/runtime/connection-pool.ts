// Kept connections to one API server, and the requests that wait for one.
import { Connection, type Answer, type Endpoint, Exchange, type ShortRequest } from "./connection";

/** How connections are kept. */
export interface PoolOptions {
  /** Connections at once; further requests wait. */
  maxSockets: number;
  /** A connection that nobody used for so long is closed. */
  idleMs: number;
}

/** Gives a request up before it is answered. An AbortController for each of them would cost as much as the request. */
export class Cancellation {
  #isCancelled = false;
  #act: () => void = () => {};

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#act();
  }

  /** Calls when it is cancelled, which may be now. */
  onCancel(act: () => void): void {
    this.#act = act;
    if (this.#isCancelled) act();
  }
}

/**
 * Requests over HTTP/1.1 connections that are kept. Node's own client takes three times the processor time for one
 * (docs/decisions/0059-short-requests-over-our-own-http-client.md).
 */
export class ConnectionPool {
  readonly #endpoint: Endpoint;
  readonly #options: PoolOptions;
  /** Those without work, the last used at the end: it is the next to be used, so that the others can be closed. */
  readonly #idle: { connection: Connection; since: number }[] = [];
  readonly #open = new Set<Connection>();
  #waiting: Exchange[] = [];
  #sweep: NodeJS.Timeout | undefined;
  #isRetired = false;

  constructor(endpoint: Endpoint, options: PoolOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
  }

  /** Sends a request and gives the whole answer. */
  send(request: ShortRequest, cancellation: Cancellation): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(request, resolve, reject);
      exchange.abandon = () => {
        this.#waiting = this.#waiting.filter((other) => other !== exchange);
      };
      this.#waiting.push(exchange);
      cancellation.onCancel(() => exchange.giveUp());
      this.#next();
    });
  }

  /** Closes connections as they become idle: another pool takes over. */
  retire(): void {
    this.#isRetired = true;
    for (const { connection } of this.#idle.splice(0)) connection.close();
  }

  /** Ends all connections; requests under way fail. */
  close(): void {
    this.retire();
    for (const connection of this.#open) connection.close();
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#idle.pop()?.connection ?? this.#another();
      const exchange = connection === undefined ? undefined : this.#waiting.shift();
      if (connection === undefined || exchange === undefined) return;
      connection.carry(exchange);
    }
  }

  #another(): Connection | undefined {
    if (this.#open.size >= this.#options.maxSockets) return undefined;
    const connection = new Connection(this.#endpoint, (freed, usable) => this.#freed(freed, usable));
    this.#open.add(connection);
    return connection;
  }

  #freed(connection: Connection, usable: boolean): void {
    if (!usable) {
      this.#open.delete(connection);
      const index = this.#idle.findIndex((idle) => idle.connection === connection);
      if (index !== -1) this.#idle.splice(index, 1);
    } else if (this.#isRetired) connection.close();
    else {
      this.#idle.push({ connection, since: performance.now() });
      this.#sweepLater();
    }
    this.#next();
  }

  // One timer for all: one for each would be set with every request.
  #sweepLater(): void {
    if (this.#sweep !== undefined) return;
    this.#sweep = setTimeout(() => {
      this.#sweep = undefined;
      const before = performance.now() - this.#options.idleMs;
      const fresh = this.#idle.findIndex(({ since }) => since > before);
      for (const { connection } of this.#idle.splice(0, fresh === -1 ? this.#idle.length : fresh))
        connection.close();
      if (this.#idle.length > 0) this.#sweepLater();
    }, this.#options.idleMs).unref();
  }
}
