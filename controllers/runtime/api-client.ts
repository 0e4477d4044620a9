// The client for the Kubernetes API: requests with retries, a rate limit and metrics; watches; a guard on every write.
import type { Readable } from "node:stream";
import { ApiError, ConnectionError, parseStatus, retryAfterMs } from "./api-error";
import { systemClock, type Clock } from "./clock";
import type { CredentialSource } from "./credentials";
import { Metrics } from "./metrics";
import { apiVersionOf, resourcePath, type KubernetesObject, type ObjectRef, type Resource } from "./object";
import { PageBuffer } from "./page-buffer";
import { RateLimiter, type RateLimit } from "./rate-limiter";
import { pathOnly, Transport, type TransportOptions, type WireResponse } from "./transport";

/** How a client behaves. */
export interface ApiClientOptions extends TransportOptions {
  /** `false` for no limit. */
  rateLimit?: RateLimit | false;
  metrics?: Metrics;
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
    this.#options = options;
    this.#transport = source instanceof Transport ? source : new Transport(source, options);
    this.#limiter =
      limiter ?? (options.rateLimit === false ? undefined : new RateLimiter(options.rateLimit, this.clock));
    this.#guard = guard;
  }

  /** The same client, the same connections, but each write asks the guard right before it is sent. */
  guardedBy(guard: WriteGuard): ApiClient {
    return new ApiClient(this.#transport, { ...this.#options, metrics: this.metrics }, guard, this.#limiter);
  }

  /** The same client, the same connections and guard, but with a rate limit of its own: neither waits for the other. */
  limitedBy(limit: RateLimit): ApiClient {
    const options = { ...this.#options, metrics: this.metrics };
    return new ApiClient(this.#transport, options, this.#guard, new RateLimiter(limit, this.clock));
  }

  /** The same client, the same connections and guard, but every request is made with the rights of another user. */
  actingAs(user: string): ApiClient {
    const options = { ...this.#options, metrics: this.metrics, impersonate: user };
    return new ApiClient(this.#transport, options, this.#guard, this.#limiter);
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
    options: { type?: PatchType; subresource?: string; query?: Query; signal?: AbortSignal | undefined } = {},
  ): Promise<T> {
    return this.request<T>({
      method: "PATCH",
      path: resourcePath(resource, ref, options.subresource),
      body: patch,
      contentType: PATCH_TYPES[options.type ?? "merge"],
      signal: options.signal,
      ...(options.query === undefined ? {} : { query: options.query }),
    });
  }

  /** Deletes an object if it is still the one that is meant. */
  async delete(
    resource: Resource,
    ref: ObjectRef,
    preconditions: Preconditions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions, propagationPolicy: "Background" };
    await this.request({ method: "DELETE", path: resourcePath(resource, ref), body, signal });
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
      throw this.#refusal(`WATCH ${path}`, response, await readAll(response.body));
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
    const controller = new AbortController();
    const onAbort = (): void => controller.abort();
    if (signal?.aborted === true) controller.abort();
    signal?.addEventListener("abort", onAbort, { once: true });
    const cancel = this.clock.schedule(timeoutMs, onAbort);
    const started = this.clock.monotonic();
    let code: string | number = "<error>";
    try {
      const response = await this.#transport.send({
        method,
        path: path + queryText(query),
        headers: {
          ...this.#headers(),
          ...(body === undefined ? {} : { "content-type": contentType ?? "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: controller.signal,
      });
      const good = response.status >= 200 && response.status < 300;
      const bytes = await readAll(response.body, good ? request : {});
      code = response.status;
      if (good) return bytes;
      throw this.#refusal(`${method} ${path}`, response, bytes);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (signal?.aborted === true) throw new ConnectionError(`${method} ${path} was given up.`, "ABORT_ERR");
      if (controller.signal.aborted) {
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

  #refusal(what: string, { status, headers }: WireResponse, bytes: Buffer): ApiError {
    const body = parseStatus(bytes.toString("utf8"));
    const wait =
      retryAfterMs(headers["retry-after"], this.clock.now()) ??
      (body.details?.retryAfterSeconds === undefined ? undefined : body.details.retryAfterSeconds * 1000);
    return new ApiError(pathOnly(what), status, body, wait);
  }
}

function queryText(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

const HEAD_BYTES = 4096;

/** Reads a body to its end; a body that was cut is an error. */
async function readAll(
  body: Readable,
  { onHead, into = new PageBuffer() }: Pick<ApiRequest, "onHead" | "into"> = {},
): Promise<Buffer> {
  into.clear();
  await new Promise<void>((resolve, reject) => {
    body.once("data", (chunk: Buffer) => onHead?.(chunk.toString("latin1", 0, HEAD_BYTES)));
    body.on("data", (chunk: Buffer) => into.append(chunk));
    let ended = false;
    body.once("end", () => {
      ended = true;
      resolve();
    });
    body.once("error", reject);
    body.once("close", () => {
      // Made only when it is needed: an error with its stack is dearer than the rest of a short answer.
      if (!ended) reject(new ConnectionError("The answer was cut.", "ECONNRESET"));
    });
  });
  return into.bytes;
}
