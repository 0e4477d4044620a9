import { once } from "node:events";
import http from "node:http";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { serveSocks } from "../../../tunnel/socks";

/**
 * For tests: a proxy that speaks SOCKS 5 and CONNECT of HTTP, and leads to one place whatever it is asked for. Who gives
 * an address at which nobody listens can come there by it and by no other way.
 */
export class ForwardProxy {
  /** What it was asked for. */
  readonly asked: string[] = [];
  readonly #sockets = new Set<Duplex>();
  readonly #servers: readonly [socks: Server, connect: Server];

  /** With a `login`, CONNECT asks for it. */
  constructor(to: { host: string; port: number }, login?: string) {
    const forward = async (host: string, port: number): Promise<Socket> => {
      this.asked.push(`${host}:${port}`);
      const socket = connect(to);
      this.#keep(socket);
      await once(socket, "connect");
      return socket;
    };
    const socks = createServer((socket) => {
      this.#keep(socket);
      serveSocks(socket, {
        isAllowed: () => true,
        forward: ({ host, port }) => forward(host, port),
        failed: () => {},
      }).catch(() => socket.destroy());
    });
    const http1 = http.createServer();
    http1.on("connect", (request, socket) => {
      this.#keep(socket);
      const wanted = login === undefined ? undefined : `Basic ${Buffer.from(login).toString("base64")}`;
      if (request.headers["proxy-authorization"] !== wanted) {
        socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
        return;
      }
      const [host = "", port = ""] = (request.url ?? "").split(":");
      forward(host, Number(port)).then(
        (way) => {
          socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
          socket.pipe(way).pipe(socket);
        },
        () => socket.destroy(),
      );
    });
    this.#servers = [socks, http1];
  }

  /** Begins to listen and gives both ways as a `proxy-url`. */
  async listen(): Promise<{ socks: string; http: string }> {
    const [socks, connectPort] = await Promise.all(
      this.#servers.map(async (server) => {
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
        return (server.address() as AddressInfo).port;
      }),
    );
    return { socks: `socks5://127.0.0.1:${socks ?? 0}`, http: `http://127.0.0.1:${connectPort ?? 0}` };
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on("error", () => {}).on("close", () => this.#sockets.delete(socket));
  }
}
