import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { errorMessage } from "../../lib/failure";
import { parseJson, textAt } from "../../lib/json";
import type { ImageStore } from "./image-store";
import { Pushes } from "./pushes";
import { refuse } from "./refuse";

const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";

/** Serves the images of a store by HTTP as a registry does (OCI distribution). Nothing can be pushed, unless it is asked for. */
export class ImageRegistry {
  readonly #server: Server;

  constructor(store: ImageStore, { takesPushes = false }: { takesPushes?: boolean } = {}) {
    const pushes = takesPushes ? new Pushes(store) : undefined;
    this.#server = createServer((incoming, outgoing) => {
      void answerRequest(store, pushes, incoming, outgoing);
    });
  }

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
}

async function answerRequest(
  store: ImageStore,
  pushes: Pushes | undefined,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(incoming.url ?? "/", "http://registry");
  try {
    if (pushes !== undefined && (await pushes.answer(incoming, outgoing))) return;
    if (incoming.method !== "GET" && incoming.method !== "HEAD") {
      refuse(outgoing, 405, "UNSUPPORTED", "Images can only be pulled from the sandbox's registry.");
      return;
    }
    if (pathname === "/v2" || pathname === "/v2/") {
      outgoing.writeHead(200, { "content-type": "application/json" }).end("{}");
      return;
    }
    const [, repository = "", what, reference = ""] =
      /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(decodeURIComponent(pathname)) ?? [];
    const isManifest = what === "manifests";
    const digest = isManifest ? await store.resolve(repository, reference) : reference;
    const size = digest === undefined ? undefined : await store.size(digest);
    if (digest === undefined || size === undefined) {
      const code = isManifest ? "MANIFEST_UNKNOWN" : "BLOB_UNKNOWN";
      refuse(outgoing, 404, code, `The sandbox's registry has no ${pathname.slice("/v2/".length)}.`);
      return;
    }
    outgoing.writeHead(200, {
      "content-type": isManifest ? await manifestType(store, digest) : "application/octet-stream",
      "content-length": size,
      "docker-content-digest": digest,
    });
    if (incoming.method === "HEAD") outgoing.end();
    else
      createReadStream(store.blob(digest))
        .on("error", (error) => outgoing.destroy(error))
        .pipe(outgoing);
  } catch (error) {
    if (outgoing.headersSent) outgoing.destroy();
    else refuse(outgoing, 500, "UNKNOWN", errorMessage(error));
  }
}

async function manifestType(store: ImageStore, digest: string): Promise<string> {
  return textAt(parseJson(await readFile(store.blob(digest), "utf8")), "mediaType") ?? MANIFEST_TYPE;
}
