import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { errorMessage, Failure } from "../../../lib/failure";
import { ARCH, rke2Release, type Rke2Release } from "./release";
import { kubernetesOf } from "./version";

/** The folder that the downloads of RKE2's project lie under; both with and without it a release is found. */
const DOWNLOADS = "/rancher/rke2/releases/download";

/** Serves releases of the stand-in by HTTP, as the download site of RKE2 does. */
export class Rke2Releases {
  readonly #server: Server = createServer((incoming, outgoing) => void this.handle(incoming, outgoing));
  readonly #made = new Map<string, Promise<Rke2Release>>();

  /** Listens on a loopback port; machines reach it through a port-forward. */
  async listen(port = 0): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Stops serving. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Answers one request; for whoever has a server already. */
  async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      const { version, name } = parseRequest(incoming.url ?? "/");
      const { dir } = await this.#release(version);
      const file = path.join(dir, version, name);
      const { size } = await stat(file);
      outgoing.writeHead(200, { "content-type": "application/octet-stream", "content-length": size });
      if (incoming.method === "HEAD") outgoing.end();
      else createReadStream(file).pipe(outgoing);
    } catch (error) {
      outgoing.writeHead(error instanceof Failure ? 404 : 500, { "content-type": "text/plain" });
      outgoing.end(`${errorMessage(error)}\n`);
    }
  }

  /** Made once: making it again for each of a cluster's downloads would take longer than they do. */
  #release(version: string): Promise<Rke2Release> {
    const known = this.#made.get(version);
    if (known !== undefined) return known;
    const made = rke2Release(version);
    this.#made.set(version, made);
    made.catch(() => this.#made.delete(version));
    return made;
  }
}

/** The file of a release that a path names. */
function parseRequest(url: string): { version: string; name: string } {
  const { pathname } = new URL(url, "http://releases");
  const file = decodeURIComponent(pathname);
  const [version = "", name = "", ...rest] = (
    file.startsWith(`${DOWNLOADS}/`) ? file.slice(DOWNLOADS.length) : file
  )
    .split("/")
    .slice(1);
  kubernetesOf(version);
  const names = [`rke2.linux-${ARCH}.tar.gz`, `sha256sum-${ARCH}.txt`];
  if (rest.length > 0 || !names.includes(name))
    throw new Failure(`${file} is no file of a release in the sandbox; there are ${names.join(" and ")}.`);
  return { version, name };
}
