// An HTTP/2 session that is pinged, so that a dead or frozen server is noticed while a watch is quiet.
import http2 from "node:http2";
import tls from "node:tls";
import { ConnectionError } from "./api-error";
import type { Clock } from "./clock";
import type { Credentials } from "./credentials";
import { addressOf, dialThrough } from "./proxy";
import { pathOnly, type WireRequest, type WireResponse } from "./transport";

const WINDOW_BYTES = 8 * 1024 * 1024;

interface PingOptions {
  clock: Clock;
  pingEveryMs: number;
  pingTimeoutMs: number;
}

/** An HTTP/2 connection that is closed when the other side does not answer pings. */
export class PingedSession {
  readonly #session: http2.ClientHttp2Session;
  readonly #url: URL;
  #cancelPing: () => void = () => {};
  #retired = false;

  private constructor(session: http2.ClientHttp2Session, url: URL, options: PingOptions) {
    this.#session = session;
    this.#url = url;
    // Without these windows a busy watch waits for permission every 64 KB.
    session.setLocalWindowSize(WINDOW_BYTES);
    session.on("error", () => {});
    session.on("close", () => this.#cancelPing());
    session.on("goaway", () => (this.#retired = true));
    this.#watchLife(options);
  }

  /** Connects; gives undefined if the server does not speak HTTP/2. */
  static async open(
    url: URL,
    credentials: Credentials,
    options: PingOptions,
  ): Promise<PingedSession | undefined> {
    const socket = await connect(url, credentials, options);
    if (socket.alpnProtocol !== "h2") {
      socket.destroy();
      return undefined;
    }
    const session = http2.connect(url.origin, {
      createConnection: () => socket,
      settings: { initialWindowSize: WINDOW_BYTES, enablePush: false },
    });
    return new PingedSession(session, url, options);
  }

  /** Whether new requests may go this way. */
  get usable(): boolean {
    return !this.#retired && !this.#session.destroyed && !this.#session.closed;
  }

  /** Takes no new requests; those under way go on to their end. */
  retire(): void {
    this.#retired = true;
    this.#session.close();
  }

  close(): void {
    this.#session.destroy();
  }

  send({ method, path, headers, signal }: WireRequest): Promise<WireResponse> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const base = this.#url.pathname === "/" ? "" : this.#url.pathname.replace(/\/$/, "");
      const what = `${method} ${this.#url.origin}${pathOnly(path)}`;
      const stream = this.#session.request({ ":method": method, ":path": base + path, ...headers });
      const onAbort = (): void => {
        stream.destroy();
        reject(new ConnectionError(`${what} was given up.`, "ABORT_ERR"));
      };
      signal.addEventListener("abort", onAbort, { once: true });
      stream.on("response", (head) => {
        const plain: Record<string, string> = {};
        for (const [name, value] of Object.entries(head)) if (typeof value === "string") plain[name] = value;
        resolve({ status: head[":status"] ?? 0, headers: plain, body: stream });
      });
      stream.on("error", (error) => reject(ConnectionError.from(what, error)));
      stream.on("close", () => {
        signal.removeEventListener("abort", onAbort);
        reject(new ConnectionError(`${what} was cut before an answer came.`, "ECONNRESET"));
      });
      stream.end();
    });
  }

  #watchLife({ clock, pingEveryMs, pingTimeoutMs }: PingOptions): void {
    const ask = (): void => {
      // Destroyed, but its "close" is still to come: a ping would throw.
      if (this.#session.destroyed) return;
      this.#cancelPing = clock.schedule(pingTimeoutMs, () => {
        const silent = `The API server did not answer a ping within ${pingTimeoutMs} ms.`;
        this.#session.destroy(new ConnectionError(silent, "ETIMEDOUT"));
      });
      const sent = this.#session.ping((error) => {
        this.#cancelPing();
        if (error === null) this.#cancelPing = clock.schedule(pingEveryMs, ask);
      });
      if (!sent) this.#session.destroy();
    };
    this.#cancelPing = clock.schedule(pingEveryMs, ask);
  }
}

async function connect(
  url: URL,
  { tls: credentials, proxyUrl }: Credentials,
  options: PingOptions,
): Promise<tls.TLSSocket> {
  const { host, port } = addressOf(url);
  const way = proxyUrl === undefined ? undefined : await dialThrough(proxyUrl, { host, port });
  return new Promise((resolve, reject) => {
    const socket = tls.connect({
      host,
      port,
      ...(way === undefined ? {} : { socket: way }),
      ALPNProtocols: ["h2", "http/1.1"],
      ...(isName(host) ? { servername: host } : {}),
      ...credentials,
    });
    const cancel = options.clock.schedule(options.pingTimeoutMs, () => {
      socket.destroy(new Error(`no connection within ${options.pingTimeoutMs} ms`));
    });
    socket.once("secureConnect", () => {
      cancel();
      socket.removeAllListeners("error");
      socket.on("error", () => {});
      resolve(socket);
    });
    socket.on("error", (error) => {
      cancel();
      reject(ConnectionError.from(`Connecting to ${url.origin}`, error));
    });
    socket.once("close", () => {
      cancel();
      reject(new ConnectionError(`Connecting to ${url.origin} was cut.`, "ECONNRESET"));
    });
  });
}

// An address has no place in a server name; Node warns about it.
function isName(host: string): boolean {
  return !/^[\d.]+$/.test(host) && !host.includes(":");
}
