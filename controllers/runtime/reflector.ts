// Lists and watches one resource, and recovers from every kind of failure with as few lists as possible.
import { setMaxListeners } from "node:events";
import type { ApiClient } from "./api-client";
import { ApiError, ConnectionError, isExpired, type Status } from "./api-error";
import { Backoff, type Random } from "./backoff";
import { sleep } from "./clock";
import { errorMessage } from "../../lib/failure";
import { readLines } from "./line-reader";
import { listInPages, selectionQuery, type Selection } from "./list";
import { silentLogger, type Logger } from "./log";
import {
  compareVersions,
  isObject,
  resourceName,
  resourcePath,
  type KubernetesObject,
  type Resource,
} from "./object";
import { endsInitialEvents, parseEvent, versionOf, type WatchEvent } from "./watch-event";

/** Takes in what a reflector sees. */
export interface Sink<T> {
  /** Begins a full list: pages come in, and at the end what was not in any of them is gone. */
  replacement(): Replacement<T>;
  upsert(object: T): void;
  remove(object: T): void;
}

/** A full list in the making. */
export interface Replacement<T> {
  page(items: T[]): void;
  /** Something that was in a page is gone before the list is whole. */
  remove(object: T): void;
  restart(): void;
  commit(): void;
}

/** How a reflector lists and watches. */
export interface ReflectorOptions {
  log?: Logger;
  random?: Random;
  /** Whether a list comes as the first events of a watch where the server can do that: see decision 12. @default false */
  streamingLists?: boolean;
  /** Objects in the first page, where lists do not come as events. @default 1000 */
  pageSize?: number;
  /** The server ends each watch after a time between one and two of these. @default 300 */
  watchSeconds?: number;
  /** A watch without a byte for this long is dead: the server's bookmarks come every minute. @default 75000 */
  silenceMs?: number;
  /** The bounds of the wait between failures. */
  backoff?: { baseMs?: number; capMs?: number };
}

/** A watch that stood this long shows that the server is well, whether or not anything happened. */
const SETTLED_MS = 10_000;

/** How a reflector fares. */
export interface ReflectorState {
  /** The version up to which everything was seen; undefined while a list is needed. */
  version: string | undefined;
  /** Why the last attempt failed; undefined while all is well. */
  failure: { message: string; since: number } | undefined;
}

// A line that is not what the server sent: only a new list tells what it would have said.
class GarbledLine extends Error {}
// The server knows less than we saw: it was restored from a backup.
class HistoryWentBack extends Error {}
// The server does not know how to send a list as events, or lost its way.
class NotStreamed extends Error {}

/**
 * Lists a resource and watches it from there on, for ever. A broken watch is resumed where it was; a new list is
 * taken only if the server has forgotten that place, if it went back in time, or if it sent what cannot be read.
 */
export class Reflector<T extends KubernetesObject> {
  readonly #client: ApiClient;
  readonly #resource: Resource<T>;
  readonly #selection: Selection;
  readonly #sink: Sink<T>;
  readonly #options: Required<Omit<ReflectorOptions, "backoff">>;
  readonly #backoff: Backoff;
  readonly #name: string;
  readonly #path: string;
  #state: ReflectorState = { version: undefined, failure: undefined };
  #why = "first";
  // The epoch of the server's history that the cache is of.
  #epoch = 0;
  #suspect = false;
  #stream: "never" | "not now" | "yes";

  constructor(
    client: ApiClient,
    resource: Resource<T>,
    selection: Selection,
    sink: Sink<T>,
    options: ReflectorOptions = {},
  ) {
    this.#client = client;
    this.#resource = resource;
    this.#selection = selection;
    this.#sink = sink;
    this.#name = resourceName(resource);
    this.#path = resourcePath(resource, selection);
    const random = options.random ?? Math.random;
    this.#options = {
      log: (options.log ?? silentLogger).with({ resource: this.#name }),
      random,
      streamingLists: options.streamingLists ?? false,
      pageSize: options.pageSize ?? 1000,
      watchSeconds: options.watchSeconds ?? 300,
      silenceMs: options.silenceMs ?? 75_000,
    };
    this.#stream = this.#options.streamingLists ? "yes" : "never";
    this.#backoff = new Backoff({ ...options.backoff, random });
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** Runs until the signal aborts. Never rejects and never gives up. */
  async run(signal: AbortSignal): Promise<void> {
    // All informers of a process end by one signal: more than ten listeners are no leak.
    setMaxListeners(0, signal);
    const running = (): boolean => !signal.aborted;
    while (running()) {
      try {
        await this.#round(signal);
      } catch (error) {
        if (running()) await this.#recover(error, signal);
      }
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { history } = this.#client;
    if (this.#state.version !== undefined && this.#epoch !== history.epoch) this.#listAgain("rollback");
    if (this.#state.version === undefined) this.#epoch = history.epoch;
    const streamed = this.#state.version === undefined && this.#stream === "yes";
    if (streamed) this.#client.metrics.lists.add({ resource: this.#name, why: this.#why });
    else if (this.#state.version === undefined) await this.#list(signal);
    else if (this.#suspect) await this.#checkHistory(this.#state.version, signal);
    this.#suspect = false;
    const started = this.#client.clock.monotonic();
    const seen = await this.#watch(signal, streamed ? this.#sink.replacement() : undefined);
    // A server that ends every watch at once would otherwise be asked again and again without a pause.
    if (!seen && this.#client.clock.monotonic() - started < 1000 && !signal.aborted) {
      await sleep(this.#client.clock, this.#backoff.next(), signal);
    }
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    const now = this.#client.clock.now();
    const listing = this.#state.version === undefined;
    const relist = isExpired(error) || error instanceof GarbledLine || error instanceof HistoryWentBack;
    if (relist) {
      this.#listAgain(
        error instanceof GarbledLine ? "garbled" : error instanceof HistoryWentBack ? "rollback" : "expired",
      );
    }
    if (error instanceof HistoryWentBack) this.#client.history.wentBack(this.#epoch);
    // Kept until a check or a list went well: a server that is just starting may first answer with errors.
    this.#suspect ||= error instanceof ConnectionError;
    if (listing && this.#stream === "yes") {
      // Whatever went wrong with a list as events, the next one comes in pages: between them one will do.
      this.#stream = cannotStream(error) ? "never" : "not now";
    }
    this.#client.metrics.watchFailures.add({ resource: this.#name });
    const message = errorMessage(error);
    this.#state = { ...this.#state, failure: { message, since: this.#state.failure?.since ?? now } };
    const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    // The first failure after a good time is mostly a server that goes round: resume nearly at once.
    const waitMs = Math.max(asked, this.#backoff.next());
    log[this.#backoff.failures > 3 ? "warn" : "info"]("The watch was interrupted.", {
      cause: message,
      waitMs,
      relist,
    });
    await sleep(this.#client.clock, waitMs, signal);
  }

  #listAgain(why: string): void {
    this.#why = why;
    this.#state = { ...this.#state, version: undefined };
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { pageSize } = this.#options;
    this.#client.metrics.lists.add({ resource: this.#name, why: this.#why });
    const replacement = this.#sink.replacement();
    const version = await listInPages(this.#client, this.#resource, this.#selection, replacement, {
      pageSize,
      signal,
    });
    if (signal.aborted) return;
    replacement.commit();
    this.#state = { version, failure: undefined };
    if (this.#stream === "not now") this.#stream = "yes";
  }

  // A server that was restored from an old backup accepts a watch from its future, and says nothing until it is there.
  async #checkHistory(version: string, signal: AbortSignal): Promise<void> {
    const query = { ...selectionQuery(this.#selection), limit: 1 };
    const answer = await this.#client.request<{ metadata?: { resourceVersion?: string } }>({
      method: "GET",
      path: this.#path,
      query,
      signal,
    });
    const current = answer.metadata?.resourceVersion ?? version;
    if (compareVersions(current, version) < 0) throw wentBack(version, current);
  }

  /** Watches until the stream ends; if a list is needed, it comes as the first events. Says whether anything came. */
  async #watch(signal: AbortSignal, list: Replacement<T> | undefined): Promise<boolean> {
    const { watchSeconds, random, silenceMs } = this.#options;
    const query = {
      ...selectionQuery(this.#selection),
      watch: true,
      allowWatchBookmarks: true,
      ...(list === undefined
        ? { resourceVersion: this.#state.version }
        : { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" }),
      timeoutSeconds: Math.round(watchSeconds * (1 + random())),
    };
    this.#client.metrics.watches.add({ resource: this.#name });
    const stop = new AbortController();
    const onAbort = (): void => stop.abort();
    signal.addEventListener("abort", onAbort, { once: true });
    const forget = this.#client.history.onWentBack(onAbort);
    let opened = Number.POSITIVE_INFINITY;
    try {
      const body = await this.#client.stream(this.#path, query, stop.signal);
      opened = this.#client.clock.monotonic();
      if (list === undefined) this.#state = { ...this.#state, failure: undefined };
      let inList = list;
      let seen = false;
      const onLine = (line: string): void => {
        const event = this.#parse(line);
        if (inList === undefined) this.#take(event);
        else if (this.#takeInitial(event, inList)) inList = undefined;
        if (inList !== undefined) return;
        if (!seen) this.#backoff.reset();
        seen = true;
      };
      await readLines(body, onLine, { clock: this.#client.clock, silenceMs, signal });
      if (inList !== undefined && !signal.aborted)
        throw new NotStreamed("The watch ended before the list that it began with was whole.");
      return seen;
    } finally {
      signal.removeEventListener("abort", onAbort);
      forget();
      stop.abort();
      // Where nothing happens, no event says that all is well: the next outage would begin with the longest wait.
      if (this.#client.clock.monotonic() - opened >= SETTLED_MS) this.#backoff.reset();
    }
  }

  #parse(line: string): WatchEvent {
    const event = parseEvent(line);
    if (event === undefined)
      throw new GarbledLine(`The watch has a line that is not an event (${line.length} characters).`);
    const { type, object } = event;
    this.#client.metrics.cacheEvents.add({ resource: this.#name, type });
    if (type !== "ERROR") return event;
    const status: Status = object;
    const seconds = status.details?.retryAfterSeconds;
    throw new ApiError(
      `WATCH ${this.#path}`,
      status.code ?? 500,
      status,
      seconds === undefined ? undefined : seconds * 1000,
    );
  }

  #take({ type, object }: WatchEvent): void {
    const version = versionOf(object);
    if (version === undefined) throw new GarbledLine(`The watch has an event ${type} without a version.`);
    const known = this.#state.version;
    if (known !== undefined && compareVersions(version, known) < 0) throw wentBack(known, version);
    if (type !== "BOOKMARK") {
      if (!isObject(object)) throw new GarbledLine(`The watch has an event ${type} without a name.`);
      // The caller declared what this resource holds; the API server keeps to its schema.
      if (type === "DELETED") this.#sink.remove(object as T);
      else this.#sink.upsert(object as T);
    }
    this.#state = { version, failure: undefined };
  }

  /** Takes an event of a list. They come in no order, and what changes meanwhile among them. Says whether it was the last. */
  #takeInitial(event: WatchEvent, list: Replacement<T>): boolean {
    const { type, object } = event;
    if (type !== "BOOKMARK") {
      if (!isObject(object)) throw new GarbledLine(`The watch has an event ${type} without a name.`);
      if (type === "DELETED") list.remove(object as T);
      else list.page([object as T]);
      return false;
    }
    if (!endsInitialEvents(event)) return false;
    const version = versionOf(object);
    if (version === undefined) throw new GarbledLine("The end of the list has no version.");
    list.commit();
    this.#state = { version, failure: undefined };
    return true;
  }
}

function wentBack(known: string, found: string): HistoryWentBack {
  return new HistoryWentBack(`The server is at version ${found}, but ${known} was already seen.`);
}

// Servers that do not know the parameters refuse them as a wrong request.
function cannotStream(error: unknown): boolean {
  return error instanceof ApiError && [400, 404, 405, 406, 415, 422].includes(error.code);
}
