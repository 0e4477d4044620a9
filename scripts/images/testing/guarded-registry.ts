import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ImageRegistry, ImageStore } from "../../../sandbox/registry";

/** How a registry asks who comes. */
export type Guard = "nobody" | "basic" | "token";

/** A request as it came. */
export interface SeenRequest {
  method: string;
  url: string;
  authorization: string | undefined;
}

/** The sandbox's registry, which takes pushes here, behind a gate that wants a login and writes down what came. */
export class GuardedRegistry {
  readonly seen: SeenRequest[] = [];
  /** The scopes of each token that was given. */
  readonly scopes: string[][] = [];
  readonly #registry: ImageRegistry;
  readonly #gate: Server;
  #inner = 0;

  constructor(
    folder: string,
    readonly guard: Guard,
    /** `user:password` */
    readonly account = "robot:hunter2:x",
  ) {
    this.#registry = new ImageRegistry(new ImageStore(folder), { takesPushes: true });
    this.#gate = createServer((incoming, outgoing) => {
      const { method = "", url = "/" } = incoming;
      const { authorization } = incoming.headers;
      this.seen.push({ method, url, authorization });
      const basic = `Basic ${Buffer.from(this.account).toString("base64")}`;
      if (url.startsWith("/token?")) {
        const scopes = new URL(url, this.origin).searchParams.getAll("scope");
        this.scopes.push(scopes);
        if (authorization !== basic) outgoing.writeHead(401).end();
        else outgoing.end(JSON.stringify({ token: `for ${scopes.join(" and ")}` }));
        return;
      }
      const repository = /^\/v2\/(.+?)\/(blobs|manifests|referrers)\//.exec(url)?.[1] ?? "";
      const allowed =
        guard === "nobody" ||
        (guard === "basic" && authorization === basic) ||
        (guard === "token" && authorization?.includes(`repository:${repository}:pull,push`) === true);
      if (!allowed) {
        const wanted =
          guard === "basic"
            ? 'Basic realm="test"'
            : `Bearer realm="${this.origin}/token",service="test",scope="repository:${repository}:pull"`;
        outgoing.writeHead(401, { "www-authenticate": wanted }).end();
        return;
      }
      const onward = request(
        { port: this.#inner, host: "127.0.0.1", method, path: url, headers: incoming.headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        },
      );
      incoming.pipe(onward);
    });
  }

  get host(): string {
    return `127.0.0.1:${(this.#gate.address() as AddressInfo).port}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  /** Begins to answer. */
  async listen(): Promise<this> {
    this.#inner = await this.#registry.listen();
    await new Promise<void>((resolve) => this.#gate.listen(0, "127.0.0.1", resolve));
    return this;
  }

  /** Ends. */
  async close(): Promise<void> {
    this.#gate.closeAllConnections();
    await new Promise((resolve) => this.#gate.close(resolve));
    await this.#registry.close();
  }
}
