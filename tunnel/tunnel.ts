// A tunnel: a port of the loopback address at which the API of one cluster is reached through its bastion.
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { parseJson, textAt } from "../lib/json";
import { LOOPBACK } from "../lib/port";
import { BastionConnection } from "./bastion-connection";
import type { Engines } from "./engines";
import { fingerprintOf, type TunnelSettings } from "./settings";
import { serveSocks, SOCKS_VERSION, type SocksHandler } from "./socks";

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
    const http = createHttpServer((incoming, outgoing) => void this.#answer(incoming, outgoing));
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
    const { identity } = this.settings;
    if (incoming.method === "POST") {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const engine = textAt(parseJson(Buffer.concat(chunks).toString()), "engine");
      if (engine === undefined || !this.engines.watch(engine)) {
        outgoing.writeHead(400).end();
        return;
      }
    }
    const status: TunnelStatus = {
      identity,
      fingerprint: fingerprintOf(this.settings),
      lastFailure: this.#lastFailure,
    };
    outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(status));
  }
}
