import type { ApiClient } from "./api-client";
import { ApiError, ConnectionError, isExpired, type Status } from "./api-error";
import { Backoff, type Random } from "./backoff";
import { sleep } from "./clock";
import { errorMessage } from "./errors";
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
  restart(): void;
  commit(): void;
}

/** How a reflector lists and watches. */
export interface ReflectorOptions {
  log?: Logger;
  random?: Random;
  /** Objects a page. @default 1000 */
  pageSize?: number;
  /** The server ends each watch after a time between one and two of these. @default 300 */
  watchSeconds?: number;
  /** A watch without a byte for this long is dead: the server's bookmarks come every minute. @default 75000 */
  silenceMs?: number;
  /** The bounds of the wait between failures. */
  backoff?: { baseMs?: number; capMs?: number };
}

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
  #suspect = false;

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
      pageSize: options.pageSize ?? 1000,
      watchSeconds: options.watchSeconds ?? 300,
      silenceMs: options.silenceMs ?? 75_000,
    };
    this.#backoff = new Backoff({ ...options.backoff, random });
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** Runs until the signal aborts. Never rejects and never gives up. */
  async run(signal: AbortSignal): Promise<void> {
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
    if (this.#state.version === undefined) await this.#list(signal);
    else if (this.#suspect) await this.#checkHistory(this.#state.version, signal);
    this.#suspect = false;
    const started = this.#client.clock.monotonic();
    const seen = await this.#watch(signal);
    // A server that ends every watch at once would otherwise be asked again and again without a pause.
    if (!seen && this.#client.clock.monotonic() - started < 1000 && !signal.aborted) {
      await sleep(this.#client.clock, this.#backoff.next(), signal);
    }
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    const now = this.#client.clock.now();
    const relist = isExpired(error) || error instanceof GarbledLine || error instanceof HistoryWentBack;
    if (relist) {
      this.#why =
        error instanceof GarbledLine ? "garbled" : error instanceof HistoryWentBack ? "rollback" : "expired";
      this.#state = { ...this.#state, version: undefined };
    }
    // Kept until a check or a list went well: a server that is just starting may first answer with errors.
    this.#suspect ||= error instanceof ConnectionError;
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

  /** Watches until the stream ends. Says whether anything came. */
  async #watch(signal: AbortSignal): Promise<boolean> {
    const { watchSeconds, random, silenceMs } = this.#options;
    const query = {
      ...selectionQuery(this.#selection),
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: this.#state.version,
      timeoutSeconds: Math.round(watchSeconds * (1 + random())),
    };
    this.#client.metrics.watches.add({ resource: this.#name });
    const stop = new AbortController();
    const onAbort = (): void => stop.abort();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const body = await this.#client.stream(this.#path, query, stop.signal);
      this.#state = { ...this.#state, failure: undefined };
      let seen = false;
      const onLine = (line: string): void => {
        this.#take(line);
        if (!seen) this.#backoff.reset();
        seen = true;
      };
      await readLines(body, onLine, { clock: this.#client.clock, silenceMs, signal });
      return seen;
    } finally {
      signal.removeEventListener("abort", onAbort);
      stop.abort();
    }
  }

  #take(line: string): void {
    const event = parseEvent(line);
    if (event === undefined)
      throw new GarbledLine(`The watch has a line that is no event (${line.length} characters).`);
    const { type, object } = event;
    this.#client.metrics.cacheEvents.add({ resource: this.#name, type });
    if (type === "ERROR") {
      const status: Status = object;
      const seconds = status.details?.retryAfterSeconds;
      throw new ApiError(
        `WATCH ${this.#path}`,
        status.code ?? 500,
        status,
        seconds === undefined ? undefined : seconds * 1000,
      );
    }
    const version = versionOf(object);
    if (version === undefined) throw new GarbledLine(`The watch has an event ${type} without a version.`);
    const known = this.#state.version;
    if (known !== undefined && compareVersions(version, known) < 0) throw wentBack(known, version);
    if (type !== "BOOKMARK") {
      if (!isObject(object)) throw new GarbledLine(`The watch has an event ${type} without a name.`);
      // The client was told by its caller what this resource holds; the API server keeps to its schema.
      if (type === "DELETED") this.#sink.remove(object as T);
      else this.#sink.upsert(object as T);
    }
    this.#state = { version, failure: undefined };
  }
}

function wentBack(known: string, found: string): HistoryWentBack {
  return new HistoryWentBack(`The server is at version ${found}, but ${known} was already seen.`);
}

interface WatchEvent {
  type: string;
  object: object;
}

function parseEvent(line: string): WatchEvent | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed !== "object" || parsed === null || !("type" in parsed) || !("object" in parsed))
      return undefined;
    const { type, object } = parsed;
    return isEventType(type) && typeof object === "object" && object !== null ? { type, object } : undefined;
  } catch {
    return undefined;
  }
}

function isEventType(type: unknown): type is string {
  return (
    type === "ADDED" || type === "MODIFIED" || type === "DELETED" || type === "BOOKMARK" || type === "ERROR"
  );
}

function versionOf(object: object): string | undefined {
  if (!("metadata" in object)) return undefined;
  const { metadata } = object;
  if (typeof metadata !== "object" || metadata === null || !("resourceVersion" in metadata)) return undefined;
  return typeof metadata.resourceVersion === "string" ? metadata.resourceVersion : undefined;
}
