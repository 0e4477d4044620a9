import { mkdir, writeFile } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { log } from "./log";

const DIAL_MS = 2000;

/**
 * The agent's client-side load balancer for the API servers, as in RKE2: the kubelet talks to 127.0.0.1 and is connected to whichever
 * server answers. The list is kept on the disk, so that a restarted agent finds a server even if the first one is gone.
 */
export class ApiLoadBalancer {
  #servers: readonly string[];
  #next = 0;
  #server: Server | undefined;

  constructor(
    private readonly file: string,
    servers: readonly string[],
  ) {
    this.#servers = servers;
  }

  /** Listens on the loopback address. */
  async open(port: number): Promise<void> {
    const server = createServer((client) => void this.#serve(client));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
    this.#server = server;
  }

  /** The servers that it knows. */
  get servers(): readonly string[] {
    return this.#servers;
  }

  /** Takes over a new list; an empty one says nothing and is not taken. */
  async update(servers: readonly string[]): Promise<void> {
    const sorted = [...new Set(servers)].sort();
    if (sorted.length === 0 || sorted.join() === this.#servers.join()) return;
    this.#servers = sorted;
    log(
      "info",
      `Updated load balancer rke2-api-server-agent-load-balancer server addresses -> [${sorted.join(" ")}]`,
    );
    await mkdir(path.dirname(this.file), { recursive: true });
    await writeFile(this.file, `${JSON.stringify({ ServerAddresses: sorted }, undefined, 2)}\n`, {
      mode: 0o600,
    });
  }

  /** Stops listening. */
  close(): void {
    this.#server?.close();
  }

  async #serve(client: Socket): Promise<void> {
    client.on("error", () => {});
    const start = this.#next;
    const order = [...this.#servers.slice(start), ...this.#servers.slice(0, start)];
    for (const address of order) {
      const upstream = await dial(address);
      if (upstream === undefined) continue;
      // Whoever answered is asked first by the next one too; a server that is gone costs its time once.
      this.#next = Math.max(0, this.#servers.indexOf(address));
      upstream.on("error", () => client.destroy());
      client.on("close", () => upstream.destroy());
      upstream.on("close", () => client.destroy());
      client.pipe(upstream);
      upstream.pipe(client);
      return;
    }
    client.destroy();
  }
}

function dial(address: string): Promise<Socket | undefined> {
  const [host = "", port = ""] = address.split(":");
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) });
    const fail = (): void => {
      socket.destroy();
      resolve(undefined);
    };
    socket.setTimeout(DIAL_MS, fail);
    socket.once("error", fail);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.removeListener("error", fail);
      resolve(socket);
    });
  });
}
