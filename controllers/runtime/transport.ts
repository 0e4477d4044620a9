// Sends requests over kept HTTP/1.1 connections, and watches over one HTTP/2 connection.
import http from "node:http";
import https from "node:https";
import { isIP, type Socket } from "node:net";
import tls from "node:tls";
import type { Readable } from "node:stream";
import { systemClock, type Clock } from "./clock";
import type { Credentials, CredentialSource } from "./credentials";
import { ConnectionError } from "./api-error";
import { endpointOf, type Answer, type ShortRequest } from "./connection";
import { ConnectionPool, type Cancellation } from "./connection-pool";
import { PingedSession } from "./pinged-session";
import { addressOf, dialThrough } from "./proxy";

/** A request whose answer goes on for long. */
export interface WireRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/** An answer whose body has yet to be read; whoever gets it must read it or destroy it. */
export interface WireResponse {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Readable;
}

/** How connections are kept. */
export interface TransportOptions {
  clock?: Clock;
  /** How often a connection that carries watches is asked for a sign of life. @default 15000 */
  pingEveryMs?: number;
  /** How long the sign of life may take. @default 10000 */
  pingTimeoutMs?: number;
  /** Connections for requests other than watches. @default 64 */
  maxSockets?: number;
  /**
   * A connection that nobody used for so long is closed. A burst would otherwise hold its handles for ever, here and on
   * the server, and where there are few of them the watches could not connect any more. @default 10000
   */
  idleMs?: number;
}

interface Connections {
  credentials: Credentials;
  url: URL;
  pool: ConnectionPool;
  session: Promise<PingedSession | undefined> | undefined;
}

/**
 * Connections to one API server. Requests go over HTTP/1.1 connections that are kept, which is the fastest way.
 * Watches share one HTTP/2 connection, because its pings tell a dead or frozen server from a quiet one without a
 * request. If the server does not speak HTTP/2, watches take HTTP/1.1 and only their silence tells.
 */
export class Transport {
  readonly #source: CredentialSource;
  readonly #options: Required<TransportOptions>;
  #connections: Connections | undefined;
  #closed = false;

  constructor(source: CredentialSource, options: TransportOptions = {}) {
    this.#source = source;
    this.#options = {
      clock: options.clock ?? systemClock,
      pingEveryMs: options.pingEveryMs ?? 15_000,
      pingTimeoutMs: options.pingTimeoutMs ?? 10_000,
      maxSockets: options.maxSockets ?? 64,
      idleMs: options.idleMs ?? 10_000,
    };
  }

  /** Sends a request and waits for the whole answer. */
  async send(request: ShortRequest, cancellation: Cancellation): Promise<Answer> {
    const { url, pool, credentials } = await this.#connect();
    const { method, path } = request;
    const headers = { ...credentials.headers, ...request.headers };
    try {
      return this.#noteRefusal(await pool.send({ ...request, headers }, cancellation));
    } catch (error) {
      throw ConnectionError.from(`${method} ${url.origin}${pathOnly(path)}`, error);
    }
  }

  /** Sends a request whose answer goes on for long. */
  async stream(request: WireRequest): Promise<WireResponse> {
    const connections = await this.#connect();
    const { url, credentials } = connections;
    const session = await this.#session(connections);
    const response =
      session === undefined
        ? await overHttp1(url, credentials, request)
        : await session.send({ ...request, headers: { ...credentials.headers, ...request.headers } });
    return this.#noteRefusal(response);
  }

  /** Ends all connections; requests under way fail. */
  close(): void {
    this.#closed = true;
    const old = this.#connections;
    this.#connections = undefined;
    old?.pool.close();
    old?.session?.then(
      (session) => session?.close(),
      () => {},
    );
  }

  #noteRefusal<R extends { status: number }>(response: R): R {
    if (response.status === 401) this.#source.refused();
    return response;
  }

  async #connect(): Promise<Connections> {
    if (this.#closed) throw new ConnectionError("The client was closed.", "ERR_CLOSED");
    const credentials = await this.#source.current();
    const known = this.#connections;
    if (known?.credentials === credentials) return known;
    if (known !== undefined && sameConnection(known.credentials, credentials)) {
      known.credentials = credentials;
      return known;
    }
    // Requests and watches under way end by themselves with the old identity; new ones never use it.
    known?.pool.retire();
    known?.session?.then(
      (session) => session?.retire(),
      () => {},
    );
    const url = new URL(credentials.server);
    const pool = new ConnectionPool(endpointOf(url, credentials.tls, credentials.proxyUrl), this.#options);
    this.#connections = { credentials, url, pool, session: undefined };
    return this.#connections;
  }

  async #session(connections: Connections): Promise<PingedSession | undefined> {
    if (connections.url.protocol !== "https:") return undefined;
    const current = await connections.session?.catch(() => undefined);
    if (connections.session !== undefined && (current === undefined || current.usable)) {
      return connections.session;
    }
    connections.session = PingedSession.open(connections.url, connections.credentials, this.#options);
    connections.session.catch(() => (connections.session = undefined));
    return connections.session;
  }
}

function sameConnection(a: Credentials, b: Credentials): boolean {
  return (
    a.server === b.server && a.proxyUrl === b.proxyUrl && JSON.stringify(a.tls) === JSON.stringify(b.tls)
  );
}

async function overHttp1(
  url: URL,
  credentials: Credentials,
  { method, path, headers, signal }: WireRequest,
): Promise<WireResponse> {
  const { host, port } = addressOf(url);
  const { proxyUrl } = credentials;
  const way = proxyUrl === undefined ? undefined : await dialThrough(proxyUrl, { host, port });
  return new Promise((resolve, reject) => {
    const { request: ask } = url.protocol === "https:" ? https : http;
    const base = url.pathname === "/" ? "" : url.pathname.replace(/\/$/, "");
    const sent = ask(
      {
        // A connection of its own, which ends with the answer.
        ...(way === undefined
          ? { agent: false }
          : { createConnection: () => overWay(url, way, credentials) }),
        ...credentials.tls,
        host,
        port,
        method,
        path: base + path,
        headers: { ...credentials.headers, ...headers },
        signal,
      },
      (response) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response });
      },
    );
    sent.on("error", (error) => {
      reject(ConnectionError.from(`${method} ${url.origin}${pathOnly(path)}`, error));
    });
    sent.end();
  });
}

function overWay(url: URL, way: Socket, { tls: { servername, ...secrets } }: Credentials): Socket {
  if (url.protocol !== "https:") return way;
  const { host } = addressOf(url);
  return tls.connect({
    ...secrets,
    host,
    socket: way,
    servername: servername ?? (isIP(host) === 0 ? host : ""),
  });
}

/** The path without the query, which may be long. */
export function pathOnly(path: string): string {
  const mark = path.indexOf("?");
  return mark === -1 ? path : path.slice(0, mark);
}
