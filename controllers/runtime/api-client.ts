// The client for the Kubernetes API: requests with retries, a rate limit and metrics; watches; a guard on every write.
import type { Readable } from "node:stream";
import { ApiError, ConnectionError, parseStatus, retryAfterMs } from "./api-error";
import { systemClock, type Clock } from "./clock";
import { Cancellation } from "./connection-pool";
import type { CredentialSource } from "./credentials";
import { History } from "./history";
import { Metrics } from "./metrics";
import { apiVersionOf, resourcePath, type KubernetesObject, type ObjectRef, type Resource } from "./object";
import type { PageBuffer } from "./page-buffer";
import { RateLimiter, type RateLimit } from "./rate-limiter";
import { pathOnly, Transport, type TransportOptions, type WireResponse } from "./transport";

/** How a client behaves. */
export interface ApiClientOptions extends TransportOptions {
  /** `false` for no limit. */
  rateLimit?: RateLimit | false;
  metrics?: Metrics;
  /** Shared by clients of one server. @default one of its own */
  history?: History;
  /** Named to the server. @default "fleetwright" */
  userAgent?: string;
  /** How long a request other than a watch may take. @default 30000 */
  timeoutMs?: number;
  /** Whom to act as, such as `system:serviceaccount:a:b`; the server asks whether that is allowed. @default oneself */
  impersonate?: string;
  /** How often a request is sent again after "429 Too Many Requests". @default 5 */
  maxRetries?: number;
}

/** Query parameters; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request to the API server. */
export interface ApiRequest {
  method: string;
  path: string;
  query?: Query;
  body?: unknown;
  /** @default "application/json" */
  contentType?: string;
  signal?: AbortSignal | undefined;
  /** Hears the beginning of a good answer while the rest is still on its way. */
  onHead?: (text: string) => void;
  /** Where to put a good answer, for those who ask for many large ones. The answer is then good until the next. */
  into?: PageBuffer;
}

/** What has to hold for a delete to happen. */
export interface Preconditions {
  uid?: string | undefined;
  resourceVersion?: string | undefined;
}

/** How a patch is meant. */
export type PatchType = "merge" | "json" | "apply";

/** How a patch is sent. */
export interface PatchOptions {
  /** @default "merge" */
  type?: PatchType;
  subresource?: string;
  query?: Query;
  signal?: AbortSignal | undefined;
}

const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  apply: "application/apply-patch+yaml",
};

/** Refuses a write, by throwing, for example because this process no longer leads. */
export type WriteGuard = () => void;

/** A client of one API server. */
export class ApiClient {
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Of the server, for all who follow it by the same connections. */
  readonly history: History;
  readonly #transport: Transport;
  readonly #limiter: RateLimiter | undefined;
  readonly #options: ApiClientOptions;
  readonly #guard: WriteGuard | undefined;

  constructor(
    source: CredentialSource | Transport,
    options: ApiClientOptions = {},
    guard?: WriteGuard,
    limiter?: RateLimiter,
  ) {
    this.clock = options.clock ?? systemClock;
    this.metrics = options.metrics ?? new Metrics();
    this.history = options.history ?? new History();
    this.#options = options;
    this.#transport = source instanceof Transport ? source : new Transport(source, options);
    this.#limiter =
      limiter ?? (options.rateLimit === false ? undefined : new RateLimiter(options.rateLimit, this.clock));
    this.#guard = guard;
  }

  /** The same client, the same connections, but each write asks the guard right before it is sent. */
  guardedBy(guard: WriteGuard): ApiClient {
    return new ApiClient(this.#transport, this.#shared(), guard, this.#limiter);
  }

  /** The same client, the same connections and guard, but with a rate limit of its own: neither waits for the other. */
  limitedBy(limit: RateLimit): ApiClient {
    return new ApiClient(this.#transport, this.#shared(), this.#guard, new RateLimiter(limit, this.clock));
  }

  /** The same client, the same connections and guard, but every request is made with the rights of another user. */
  actingAs(user: string): ApiClient {
    const options = { ...this.#shared(), impersonate: user };
    return new ApiClient(this.#transport, options, this.#guard, this.#limiter);
  }

  #shared(): ApiClientOptions {
    return { ...this.#options, metrics: this.metrics, history: this.history };
  }

  async get<T extends KubernetesObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.request<T>({ method: "GET", path: resourcePath(resource, ref), signal });
  }

  async create<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    signal?: AbortSignal,
  ): Promise<T> {
    const { namespace } = object.metadata;
    const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
    return this.request<T>({ method: "POST", path: resourcePath(resource, { namespace }), body, signal });
  }

  /** Replaces an object; refused with a conflict if it changed since `metadata.resourceVersion`. */
  async update<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    { subresource, signal }: { subresource?: string; signal?: AbortSignal } = {},
  ): Promise<T> {
    const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
    const path = resourcePath(resource, object.metadata, subresource);
    return this.request<T>({ method: "PUT", path, body, signal });
  }

  async patch<T extends KubernetesObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: unknown,
    options: PatchOptions = {},
  ): Promise<T> {
    return this.request<T>(patchRequest(resource, ref, patch, options));
  }

  /** As {@link patch}, for those who do not look at the object afterwards: it is not even parsed. */
  async patchUnread(
    resource: Resource,
    ref: ObjectRef,
    patch: unknown,
    options: PatchOptions = {},
  ): Promise<void> {
    await this.bytes(patchRequest(resource, ref, patch, options));
  }

  /** Deletes an object if it is still the one that is meant. */
  async delete(
    resource: Resource,
    ref: ObjectRef,
    preconditions: Preconditions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions, propagationPolicy: "Background" };
    await this.bytes({ method: "DELETE", path: resourcePath(resource, ref), body, signal });
  }

  /** Sends a request and reads the answer as JSON. */
  async request<T = unknown>(request: ApiRequest): Promise<T> {
    const what = `${request.method} ${request.path}`;
    const text = await this.text(request);
    try {
      return JSON.parse(text) as T;
    } catch (error) {
      throw new ConnectionError(`${what} was answered with what is not JSON.`, "ERR_NOT_JSON", {
        cause: error,
      });
    }
  }

  /** Sends a request and reads the answer as text. */
  async text(request: ApiRequest): Promise<string> {
    return (await this.bytes(request)).toString("utf8");
  }

  /** Sends a request and reads the answer as it is. */
  async bytes(request: ApiRequest): Promise<Buffer> {
    const maxRetries = this.#options.maxRetries ?? 5;
    for (let retry = 0; ; retry++) {
      try {
        return await this.#once(request);
      } catch (error) {
        const tooMany = error instanceof ApiError && error.code === 429;
        if (!tooMany || retry >= maxRetries) throw error;
        // "Too many" is said before anything was done, so sending it again is safe for every verb.
        this.#limiter?.pause(error.retryAfterMs ?? 1000);
      }
    }
  }

  /** Opens an answer that goes on for long. The caller reads the body, and destroys it when done. */
  async stream(path: string, query: Query, signal: AbortSignal): Promise<Readable> {
    const full = path + queryText(query);
    await this.#limiter?.take(signal);
    let response: WireResponse;
    const timeout = this.#options.timeoutMs ?? 30_000;
    const head = new AbortController();
    const onAbort = (): void => head.abort();
    signal.addEventListener("abort", onAbort, { once: true });
    const cancel = this.clock.schedule(timeout, onAbort);
    try {
      response = await this.#transport.stream({
        method: "GET",
        path: full,
        headers: this.#headers(),
        signal: head.signal,
      });
    } catch (error) {
      signal.removeEventListener("abort", onAbort);
      this.metrics.requests.add({ verb: "WATCH", code: "<error>" });
      throw ConnectionError.from(`WATCH ${path}`, error);
    } finally {
      cancel();
    }
    response.body.once("close", () => signal.removeEventListener("abort", onAbort));
    response.body.on("error", () => {});
    this.metrics.requests.add({ verb: "WATCH", code: response.status });
    if (response.status === 200) return response.body;
    try {
      const bytes = await readAll(response.body);
      throw this.#refusal(`WATCH ${path}`, response.status, response.headers["retry-after"], bytes);
    } finally {
      response.body.destroy();
    }
  }

  close(): void {
    this.#transport.close();
  }

  #headers(): Record<string, string> {
    const { userAgent = "fleetwright", impersonate } = this.#options;
    return {
      accept: "application/json",
      "user-agent": userAgent,
      ...(impersonate === undefined ? {} : { "impersonate-user": impersonate }),
    };
  }

  async #once(request: ApiRequest): Promise<Buffer> {
    const { method, path, query, body, contentType, signal } = request;
    await this.#limiter?.take(signal);
    // Asked last: whatever made us wait, a process that lost its lease meanwhile must not write.
    if (method !== "GET") this.#guard?.();
    const timeoutMs = this.#options.timeoutMs ?? 30_000;
    const cancellation = new Cancellation();
    const onAbort = (): void => cancellation.cancel();
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    const cancel = this.clock.schedule(timeoutMs, onAbort);
    const started = this.clock.monotonic();
    let code: string | number = "<error>";
    try {
      const answer = await this.#transport.send(
        {
          method,
          path: path + queryText(query),
          headers:
            body === undefined
              ? this.#headers()
              : { ...this.#headers(), "content-type": contentType ?? "application/json" },
          body: body === undefined ? undefined : JSON.stringify(body),
          onHead: request.onHead,
          into: request.into,
        },
        cancellation,
      );
      code = answer.status;
      if (answer.status >= 200 && answer.status < 300) return answer.bytes;
      throw this.#refusal(`${method} ${path}`, code, answer.headers.get("retry-after"), answer.bytes);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (signal?.aborted === true) throw new ConnectionError(`${method} ${path} was given up.`, "ABORT_ERR");
      if (cancellation.isCancelled) {
        throw new ConnectionError(`${method} ${path} had no answer within ${timeoutMs} ms.`, "ETIMEDOUT");
      }
      throw ConnectionError.from(`${method} ${path}`, error);
    } finally {
      cancel();
      signal?.removeEventListener("abort", onAbort);
      this.metrics.requests.add({ verb: method, code });
      this.metrics.requestSeconds.observe((this.clock.monotonic() - started) / 1000, { verb: method });
    }
  }

  #refusal(what: string, status: number, retryAfter: string | undefined, bytes: Buffer): ApiError {
    const body = parseStatus(bytes.toString("utf8"));
    const wait =
      retryAfterMs(retryAfter, this.clock.now()) ??
      (body.details?.retryAfterSeconds === undefined ? undefined : body.details.retryAfterSeconds * 1000);
    return new ApiError(pathOnly(what), status, body, wait);
  }
}

function patchRequest(
  resource: Resource,
  ref: ObjectRef,
  body: unknown,
  { type = "merge", subresource, query = {}, signal }: PatchOptions,
): ApiRequest {
  const path = resourcePath(resource, ref, subresource);
  return { method: "PATCH", path, body, contentType: PATCH_TYPES[type], query, signal };
}

function queryText(query: Query = {}): string {
  let text = "";
  for (const name in query) {
    const value = query[name];
    if (value !== undefined) text += `${text === "" ? "?" : "&"}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}

/** Reads a body to its end; a body that was cut is an error. */
async function readAll(body: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    body.on("data", (part: Buffer) => parts.push(part));
    let ended = false;
    body.once("end", () => {
      ended = true;
      resolve();
    });
    body.once("error", reject);
    body.once("close", () => {
      if (!ended) reject(new ConnectionError("The answer was cut.", "ECONNRESET"));
    });
  });
  return Buffer.concat(parts);
}
