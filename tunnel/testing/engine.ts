import { createServer, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";

/** For tests: the engine as the tunnel knows it: a server of HTTP/2 that ends when the engine does. */
export class TestEngine {
  readonly #server: Http2Server = createServer();
  readonly #sessions = new Set<{ destroy: () => void }>();

  /** Begins to serve and gives the address. */
  async start(): Promise<string> {
    this.#server.on("session", (session) => this.#sessions.add(session));
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How many connections it has. */
  get watchers(): number {
    return this.#sessions.size;
  }

  /** Ends, with its connections. */
  end(): void {
    for (const session of this.#sessions) session.destroy();
    this.#server.close();
  }
}
