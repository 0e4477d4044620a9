// One kept HTTP/1.1 connection to the API server, for requests one after another.
import net from "node:net";
import tls from "node:tls";
import { ConnectionError } from "./api-error";
import type { TlsCredentials } from "./credentials";
import { PageBuffer } from "./page-buffer";
import { addressOf, dialThrough } from "./proxy";
import { ResponseParser, type ResponseHead } from "./response-parser";

/** Where connections go, and what they show on the way. */
export interface Endpoint {
  url: URL;
  tls: TlsCredentials;
  /** Made once for all connections, because reading the certificates costs more than a request, and memory each time. */
  secureContext: tls.SecureContext | undefined;
  /** The proxy on the way there. */
  proxyUrl: string | undefined;
}

/** An endpoint out of an address and credentials. */
export function endpointOf(url: URL, credentials: TlsCredentials, proxyUrl?: string): Endpoint {
  const { ca, cert, key } = credentials;
  const secureContext = url.protocol === "https:" ? tls.createSecureContext({ ca, cert, key }) : undefined;
  return { url, tls: credentials, secureContext, proxyUrl };
}

/** A request whose answer is short, or is put where the caller says. */
export interface ShortRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** Hears the beginning of a good answer while the rest is still on its way. */
  onHead?: ((text: string) => void) | undefined;
  /** Where to put a good answer, for those who ask for many large ones. The answer is then good until the next. */
  into?: PageBuffer | undefined;
}

/** A whole answer. */
export interface Answer extends ResponseHead {
  bytes: Buffer;
}

/** A request on its way to its answer. It ends once: whatever comes after that is not heard. */
export class Exchange {
  readonly request: ShortRequest;
  /** What is to be done where it waits, or is being answered, when it is given up. */
  abandon: () => void = () => {};
  readonly #parser: ResponseParser;
  readonly #answered: (answer: Answer) => void;
  readonly #failed: (error: unknown) => void;
  #head: ResponseHead | undefined;
  #first: Buffer | undefined;
  #memory: PageBuffer | undefined;
  #isOver = false;

  constructor(request: ShortRequest, answered: (answer: Answer) => void, failed: (error: unknown) => void) {
    this.request = request;
    this.#answered = answered;
    this.#failed = failed;
    this.#parser = new ResponseParser({
      onHead: (head) => (this.#head = head),
      onBody: (part) => this.#onBody(part),
    });
  }

  /** Whether the connection can carry another request, once the answer is whole. */
  get keepsConnection(): boolean {
    return this.#parser.keepsConnection;
  }

  /** Takes in what arrived. Says whether the answer is whole. */
  take(arrived: Buffer): boolean {
    return this.#parser.take(arrived);
  }

  /** The other side ended the connection, which is the end of some answers. */
  end(): void {
    if (this.#parser.end()) this.succeed();
    else this.fail(new ConnectionError("The answer was cut.", "ECONNRESET"));
  }

  succeed(): void {
    if (this.#isOver || this.#head === undefined) return;
    this.#isOver = true;
    this.#answered({ ...this.#head, bytes: this.#memory?.bytes ?? this.#first ?? NOTHING });
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failed(error);
  }

  giveUp(): void {
    if (this.#isOver) return;
    this.fail(new ConnectionError("The request was given up.", "ABORT_ERR"));
    this.abandon();
  }

  // Most answers are one part, which is taken as it is.
  #onBody(part: Buffer): void {
    if (this.#first === undefined) {
      this.#first = part;
      const { onHead, into } = (this.#head?.status ?? 0) < 300 ? this.request : NO_WISHES;
      onHead?.(part.toString("latin1", 0, HEAD_BYTES));
      if (into === undefined) return;
      into.clear();
      this.#memory = into;
    } else if (this.#memory === undefined) {
      this.#memory = new PageBuffer();
      this.#memory.append(this.#first);
    }
    this.#memory.append(part);
  }
}

const HEAD_BYTES = 4096;
const NO_WISHES: Pick<ShortRequest, "onHead" | "into"> = {};
const NOTHING = Buffer.alloc(0);

/** A connection that is opened at once and carries one exchange at a time. */
export class Connection {
  readonly #endpoint: Endpoint;
  #socket: net.Socket | undefined;
  readonly #freed: (connection: Connection, usable: boolean) => void;
  #exchange: Exchange | undefined;
  #isReady = false;
  #isClosed = false;

  /** `freed` hears when an exchange is over, and when the connection is gone. */
  constructor(endpoint: Endpoint, freed: (connection: Connection, usable: boolean) => void) {
    this.#endpoint = endpoint;
    this.#freed = freed;
    if (endpoint.proxyUrl === undefined) this.#use(open(endpoint));
    else
      dialThrough(endpoint.proxyUrl, addressOf(endpoint.url)).then(
        (way) => this.#use(open(endpoint, way)),
        (error: unknown) => {
          if (!this.#isClosed) this.#end(error);
        },
      );
  }

  carry(exchange: Exchange): void {
    this.#exchange = exchange;
    exchange.abandon = () => this.close();
    this.#socket?.ref();
    if (this.#isReady) this.#write(exchange);
  }

  close(): void {
    this.#isClosed = true;
    // One that is still on its way to a proxy is given up when it is there.
    if (this.#socket === undefined) this.#end();
    else this.#socket.destroy();
  }

  #use(socket: net.Socket): void {
    if (this.#isClosed) {
      socket.on("error", () => {}).destroy();
      return;
    }
    this.#socket = socket;
    // Nothing is sent before the server has shown who it is: there are tokens in it.
    const isThere = this.#endpoint.secureContext === undefined && !socket.connecting;
    if (isThere) this.#begin();
    else
      socket.once(this.#endpoint.secureContext === undefined ? "connect" : "secureConnect", () =>
        this.#begin(),
      );
    socket.on("data", (arrived) => this.#onData(arrived));
    socket.once("end", () => this.#exchange?.end());
    socket.on("error", (error) => this.#exchange?.fail(error));
    socket.once("close", () => this.#end());
  }

  #begin(): void {
    this.#isReady = true;
    if (this.#exchange !== undefined) this.#write(this.#exchange);
  }

  #end(error: unknown = new ConnectionError("The connection was cut.", "ECONNRESET")): void {
    this.#isClosed = true;
    this.#exchange?.fail(error);
    this.#exchange = undefined;
    this.#freed(this, false);
  }

  #write(exchange: Exchange): void {
    try {
      this.#socket?.write(textOf(exchange.request, this.#endpoint.url));
    } catch (error) {
      exchange.fail(error);
      this.close();
    }
  }

  #onData(arrived: Buffer): void {
    const exchange = this.#exchange;
    try {
      // What nobody asked for could be taken for the next answer.
      if (exchange === undefined) throw new Error("An answer came before the request.");
      if (!exchange.take(arrived)) return;
    } catch (error) {
      exchange?.fail(error);
      this.close();
      return;
    }
    this.#exchange = undefined;
    exchange.succeed();
    if (!exchange.keepsConnection) {
      this.close();
      return;
    }
    // One that waits for work keeps no process alive.
    this.#socket?.unref();
    this.#freed(this, true);
  }
}

/** Opens a connection, straight or over one to a proxy. */
function open({ url, tls: credentials, secureContext }: Endpoint, way?: net.Socket): net.Socket {
  const { host, port } = addressOf(url);
  const options = { host, port, noDelay: true, keepAlive: true };
  if (secureContext === undefined) return way ?? net.connect(options);
  const { servername = net.isIP(host) === 0 ? host : "", rejectUnauthorized } = credentials;
  return tls.connect({
    ...(way === undefined ? options : { host, socket: way }),
    secureContext,
    servername,
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    ALPNProtocols: ["http/1.1"],
  });
}

/** A text that would end a header, or its line, could smuggle in another request. */
const PLAIN = /^[\x20-\x7e]*$/;

function textOf({ method, path, headers, body }: ShortRequest, url: URL): string {
  const base = url.pathname === "/" ? "" : url.pathname.replace(/\/$/, "");
  let head = `${method} ${base}${path} HTTP/1.1\r\nhost: ${url.host}\r\n`;
  if (!PLAIN.test(path) || path.includes(" "))
    throw new Error(`The path ${JSON.stringify(path)} has characters that a path cannot have.`);
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (!PLAIN.test(value)) throw new Error(`The header ${name} has characters that a header cannot have.`);
    head += `${name}: ${value}\r\n`;
  }
  if (body === undefined) return `${head}\r\n`;
  return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
