import { rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { pair } from "./load-balancer";

/** Where a relay listens or connects: an address, or a socket file, which all network namespaces share. */
export type RelayEnd = { host: string; port: number } | { path: string };

/** A relay of a network helper: one end of a port-forward. */
export interface RelayPlan {
  id: string;
  listen: RelayEnd;
  target: RelayEnd;
}

/** Forwards connections from one end to another. */
export class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(private readonly plan: RelayPlan) {
    this.#server = createServer({ noDelay: true }, (client) => {
      pair(client, connect({ ...plan.target }), this.#sockets);
    });
  }

  /** Starts listening. */
  async open(): Promise<void> {
    const { listen } = this.plan;
    if ("path" in listen) rmSync(listen.path, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ ...listen }, resolve);
    });
  }

  /** Stops listening and closes all connections. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
