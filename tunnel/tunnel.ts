// A tunnel: a port of the loopback address at which the API of one cluster is reached through its bastion.
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { parseJson, textAt } from "../lib/json";
import { LOOPBACK } from "../lib/port";
import { BastionConnection } from "./bastion-connection";
import type { Engines } from "./engines";
import { fingerprintOf, JSON_TYPE, type TunnelSettings } from "./settings";
import { serveSocks, SOCKS_VERSION, type SocksHandler } from "./socks";

/** An engine's address is a few bytes. */
const MAX_REQUEST = 4096;

/** What a tunnel says of itself at its port, to a plain HTTP request. */
export interface TunnelStatus {
  /** Who it is for, as people name it. */
  readonly identity: string;
  readonly fingerprint: string;
  /** Why the last connection came to nothing. */
  readonly lastFailure: string | undefined;
}

/** A tunnel that listens. */
export class Tunnel {
  readonly #bastion: BastionConnection;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #lastFailure: string | undefined;

  constructor(
    private readonly settings: TunnelSettings,
    private readonly engines: Engines,
  ) {
    this.#bastion = new BastionConnection(settings.bastion);
    const http = createHttpServer((incoming, outgoing) => {
      // Whoever goes in the middle of a request gets no answer, and ends nothing but that.
      this.#answer(incoming, outgoing).catch(() => outgoing.destroy());
    });
    const { target } = settings;
    const handler: SocksHandler = {
      // Nothing else behind the bastion is anybody's business on this machine.
      isAllowed: ({ host, port }) => host.toLowerCase() === target.host.toLowerCase() && port === target.port,
      forward: (endpoint) => this.#bastion.forward(endpoint),
      failed: (message) => {
        this.#lastFailure = message;
      },
    };
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket)).on("error", () => {});
      socket.once("readable", () => {
        const first = socket.read(1) as Buffer | null;
        if (first === null) return;
        socket.unshift(first);
        if (first[0] !== SOCKS_VERSION) http.emit("connection", socket);
        else serveSocks(socket, handler).catch(() => socket.destroy());
      });
    });
  }

  /** Begins to listen; fails where somebody else has the port. */
  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ host: LOOPBACK, port: this.settings.localPort, exclusive: true }, resolve);
    });
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#bastion.close();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { identity, localPort } = this.settings;
    const refusal = refusalOf(incoming, localPort) ?? (await this.#joined(incoming));
    if (refusal !== undefined) {
      incoming.resume();
      outgoing.writeHead(refusal, { connection: "close" }).end();
      return;
    }
    const status: TunnelStatus = {
      identity,
      fingerprint: fingerprintOf(this.settings),
      lastFailure: this.#lastFailure,
    };
    outgoing.writeHead(200, { "content-type": JSON_TYPE }).end(JSON.stringify(status));
  }

  /** Another engine joins with a POST. The code of an error where it does not. */
  async #joined(incoming: IncomingMessage): Promise<number | undefined> {
    if (incoming.method !== "POST") return undefined;
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const engine = textAt(parseJson(Buffer.concat(chunks).toString()), "engine");
    return engine === undefined || !this.engines.watch(engine) ? 400 : undefined;
  }
}

/**
 * Why a request is not answered, as a code of HTTP. Only our own programs ask; a page in a browser on this machine can send
 * requests here too, and then they have an origin, or the name of somebody else's server, or a type that is not JSON.
 */
function refusalOf({ method, headers }: IncomingMessage, port: number): number | undefined {
  const { host, origin, "content-type": type, "content-length": length } = headers;
  if (host !== `${LOOPBACK}:${port}` || origin !== undefined) return 403;
  if (method !== "GET" && method !== "POST") return 405;
  if (method === "GET") return undefined;
  if (type !== JSON_TYPE) return 415;
  if (length === undefined) return 411;
  return Number(length) > MAX_REQUEST ? 413 : undefined;
}
