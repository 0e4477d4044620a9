import http2 from "node:http2";
import https from "node:https";
import { text } from "node:stream/consumers";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import type { TlsCredentials } from "../../../controllers/runtime/credentials";

/** What goes wrong with one request. Bytes are counted in the body of the answer. */
export type Fault =
  | { kind: "cut"; afterBytes: number }
  | { kind: "truncate"; atByte: number }
  | { kind: "stall"; afterBytes: number }
  | { kind: "delay"; ms: number }
  | { kind: "hold"; until: Promise<unknown> }
  | { kind: "slow"; bytesPerSecond: number }
  | { kind: "status"; code: number; retryAfter?: string }
  | { kind: "dropReply" }
  | { kind: "goneEvent"; afterLines: number }
  | { kind: "garble"; afterLines: number }
  | { kind: "flood"; perSecond: number; line: (version: string) => string };

/** A request as the proxy saw it. */
export interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  at: number;
  fault: Fault | undefined;
}

/** Decides what goes wrong; undefined for nothing. */
export type FaultPlan = (request: Omit<SeenRequest, "fault">) => Fault | undefined;

/** Between whom the proxy stands. */
export interface FaultProxyOptions {
  /** The real API server. */
  upstream: { server: string; tls: TlsCredentials };
  /** The proxy's own certificate. */
  certificate: { certificate: string; key: string };
  plan?: FaultPlan;
  /** Replaces in the path and the body of each request, so that one server can stand for several. */
  rewrite?: (text: string) => string;
  /** 0 for any. */
  port?: number;
}

/** Stands before a real API server and breaks what passes. Speaks HTTP/1.1 and HTTP/2 with TLS. */
export class FaultProxy {
  /** May be changed at any time. */
  plan: FaultPlan | undefined;
  readonly seen: SeenRequest[] = [];
  readonly #server: http2.Http2SecureServer;
  #agent: https.Agent;
  #upstream: URL;
  readonly #rewrite: ((text: string) => string) | undefined;
  readonly #sessions = new Set<{ destroy(): void }>();
  #url = "";

  private constructor({ upstream, certificate, plan, rewrite }: FaultProxyOptions) {
    this.plan = plan;
    this.#rewrite = rewrite;
    this.#upstream = new URL(upstream.server);
    this.#agent = new https.Agent({ keepAlive: true, maxSockets: 256, ...upstream.tls });
    this.#server = http2.createSecureServer(
      { allowHTTP1: true, cert: certificate.certificate, key: certificate.key },
      (request, response) => this.#pass(request, response),
    );
    const hold = (held: { destroy(): void; once(event: "close", call: () => void): unknown }): void => {
      this.#sessions.add(held);
      held.once("close", () => this.#sessions.delete(held));
    };
    this.#server.on("session", (session: http2.ServerHttp2Session) => {
      session.on("error", () => {});
      hold(session);
    });
    this.#server.on("secureConnection", (socket: TLSSocket) => {
      socket.on("error", () => {});
      hold(socket);
    });
    this.#server.on("sessionError", () => {});
    this.#server.on("tlsClientError", () => {});
  }

  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    await new Promise<void>((resolve) => proxy.#server.listen(options.port ?? 0, "127.0.0.1", resolve));
    const address = proxy.#server.address();
    if (!isAddress(address)) throw new Error("The proxy has no address.");
    proxy.#url = `https://127.0.0.1:${address.port}`;
    return proxy;
  }

  get url(): string {
    return this.#url;
  }

  /** Stands before another server from now on; connections to the earlier one are cut. */
  retarget(upstream: FaultProxyOptions["upstream"]): void {
    this.#agent.destroy();
    this.#upstream = new URL(upstream.server);
    this.#agent = new https.Agent({ keepAlive: true, maxSockets: 256, ...upstream.tls });
    this.cutAll();
  }

  /** Cuts every connection there is; new ones are taken. */
  cutAll(): void {
    for (const session of this.#sessions) session.destroy();
  }

  /** Stops; connections are cut. */
  async stop(): Promise<void> {
    this.cutAll();
    this.#agent.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #pass(request: http2.Http2ServerRequest, response: http2.Http2ServerResponse): void {
    const url = new URL(request.url, this.#upstream);
    const { method } = request;
    const facts = { method, path: url.pathname, query: url.searchParams, at: performance.now() };
    const fault = this.plan?.(facts);
    this.seen.push({ ...facts, fault });
    const cut = (): void => destroyConnection(request, response);
    request.on("error", () => {});
    response.on("error", () => {});
    if (fault?.kind === "status") {
      request.resume();
      answerWith(response, fault.code, fault.retryAfter);
      return;
    }
    const rewrite = this.#rewrite;
    const forward = (): void => {
      const headers: Record<string, string> = {};
      for (const [name, value] of Object.entries(request.headers)) {
        if (!name.startsWith(":") && !HOP.has(name) && typeof value === "string") headers[name] = value;
      }
      if (rewrite !== undefined) delete headers["content-length"];
      const sent = https.request(
        {
          agent: this.#agent,
          host: this.#upstream.hostname,
          port: this.#upstream.port,
          method,
          path: (rewrite?.(url.pathname) ?? url.pathname) + url.search,
          headers,
        },
        (answer) => {
          answer.on("error", () => cut());
          if (fault?.kind === "dropReply") {
            // Read to its end: the server has then surely done what it was asked.
            answer.resume();
            answer.once("end", cut);
            return;
          }
          const head: Record<string, string> = {};
          for (const [name, value] of Object.entries(answer.headers)) {
            if (!HOP.has(name) && name !== "content-length" && typeof value === "string") head[name] = value;
          }
          response.writeHead(answer.statusCode ?? 502, head);
          new BrokenBody(fault, response, cut).take(answer);
        },
      );
      sent.on("error", () => cut());
      response.once("close", () => sent.destroy());
      if (rewrite === undefined) request.pipe(sent);
      else
        void text(request).then(
          (body) => sent.end(rewrite(body)),
          () => cut(),
        );
    };
    if (fault?.kind === "delay") setTimeout(forward, fault.ms);
    else if (fault?.kind === "hold") void fault.until.then(forward);
    else forward();
  }
}

const HOP = new Set(["connection", "keep-alive", "transfer-encoding", "host", "upgrade"]);

/** Passes a body on until its fault strikes. */
class BrokenBody {
  #bytes = 0;
  #lines = 0;
  #over = false;
  #version: string | undefined;

  constructor(
    readonly fault: Fault | undefined,
    readonly response: http2.Http2ServerResponse,
    readonly cut: () => void,
  ) {}

  take(answer: NodeJS.ReadableStream & { destroy(): void }): void {
    if (this.fault?.kind === "flood") this.#flood(this.fault);
    answer.on("data", (chunk: Buffer) => {
      // What is left is thrown away; the request ends when the client leaves, so that a stall stays a stall.
      if (this.#over) return;
      this.#pass(chunk);
      if (this.fault?.kind === "slow") {
        answer.pause();
        setTimeout(() => answer.resume(), (chunk.length / this.fault.bytesPerSecond) * 1000);
      }
    });
    answer.on("end", () => {
      if (!this.#over) this.response.end();
    });
  }

  // Lines of its own among those of the server, as many as are due and as the client takes.
  #flood({ perSecond, line }: Extract<Fault, { kind: "flood" }>): void {
    const { response } = this;
    let from = performance.now();
    let owed = 0;
    const timer = setInterval(() => {
      const now = performance.now();
      owed = Math.min(perSecond, owed + ((now - from) / 1000) * perSecond);
      from = now;
      if (response.writableNeedDrain) return;
      const lines: string[] = [];
      // Of the version that was last sent: a watch never goes back, and the server does not know of these lines.
      if (this.#version === undefined) return;
      for (; owed >= 1; owed -= 1) lines.push(line(this.#version));
      if (lines.length > 0) response.write(`${lines.join("\n")}\n`);
    }, 10);
    response.once("close", () => clearInterval(timer));
  }

  #pass(chunk: Buffer): void {
    const { fault, response } = this;
    if (fault?.kind === "flood")
      this.#version =
        [...chunk.toString().matchAll(/"resourceVersion":"(\d+)"/g)].at(-1)?.[1] ?? this.#version;
    const end = this.#bytes + chunk.length;
    const limit =
      fault?.kind === "cut" || fault?.kind === "stall"
        ? fault.afterBytes
        : fault?.kind === "truncate"
          ? fault.atByte
          : Infinity;
    if (end >= limit) {
      this.#over = true;
      response.write(chunk.subarray(0, limit - this.#bytes));
      if (fault?.kind === "cut") setImmediate(this.cut);
      else if (fault?.kind === "truncate") response.end();
      return;
    }
    this.#bytes = end;
    if (fault?.kind === "goneEvent" || fault?.kind === "garble") this.#passLines(chunk, fault);
    else response.write(chunk);
  }

  #passLines(chunk: Buffer, fault: { kind: "goneEvent" | "garble"; afterLines: number }): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.response.write(chunk.subarray(start, end + 1));
      start = end + 1;
      this.#lines += 1;
      if (this.#lines >= fault.afterLines) {
        this.#over = true;
        this.response.write(
          fault.kind === "garble" ? '{"type":"MODIFIED","object":{"metad\n' : `${GONE_EVENT}\n`,
        );
        this.response.end();
        return;
      }
    }
    this.response.write(chunk.subarray(start));
  }
}

const GONE = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "too old resource version: 1 (2)",
  reason: "Expired",
  code: 410,
};
const GONE_EVENT = JSON.stringify({ type: "ERROR", object: GONE });

function answerWith(response: http2.Http2ServerResponse, code: number, retryAfter: string | undefined): void {
  const status =
    code === 410
      ? GONE
      : {
          kind: "Status",
          apiVersion: "v1",
          status: "Failure",
          code,
          reason: `Made${code}`,
          message: "made by the fault proxy",
        };
  response.writeHead(code, {
    "content-type": "application/json",
    ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
  });
  response.end(JSON.stringify(status));
}

// With HTTP/2 the compatible request has a proxy for a socket that refuses to be destroyed; its stream does not.
function destroyConnection(request: http2.Http2ServerRequest, response: http2.Http2ServerResponse): void {
  const stream: unknown = Reflect.get(response, "stream");
  if (request.httpVersionMajor === 2 && isDestroyable(stream)) stream.destroy();
  else if (isDestroyable(request.socket)) request.socket.destroy();
}

function isDestroyable(value: unknown): value is { destroy(): void } {
  return (
    typeof value === "object" && value !== null && "destroy" in value && typeof value.destroy === "function"
  );
}

function isAddress(value: AddressInfo | string | null): value is AddressInfo {
  return typeof value === "object" && value !== null;
}
