import { createHash } from "node:crypto";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { certifiedKey, daysFromNow } from "../../../sandbox/controlplane/certificate";

/** What is behind a path: a file, or another answer. */
export type Stored = Buffer | { code: number; headers: Record<string, string> };

function sha(bytes: string | Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/**
 * Files and OCI artifacts on this machine, by HTTPS. What is below `/v2/private/` wants a token, which the user `ada` gets
 * with the password `secret`.
 */
export class FileStore {
  readonly files = new Map<string, Stored>();
  readonly seen: { path: string; authorization: string | undefined }[] = [];
  readonly #server: https.Server;
  readonly #certificate: string;

  private constructor(certificate: string, key: string) {
    this.#certificate = certificate;
    this.#server = https.createServer({ cert: certificate, key }, (request, response) => {
      const { code, headers = {}, body } = this.#answer(request.url ?? "", request.headers.authorization);
      response.writeHead(code, headers).end(body);
    });
  }

  static async start(): Promise<FileStore> {
    const { certificate, key } = await certifiedKey({
      subject: { commonName: "localhost" },
      usages: ["serverAuth", "digitalSignature"],
      names: { dns: ["localhost"], ips: ["127.0.0.1"] },
      notAfter: daysFromNow(1),
    });
    const store = new FileStore(certificate, key);
    await new Promise<void>((resolve) => store.#server.listen(0, "127.0.0.1", resolve));
    return store;
  }

  /** `host:port`. */
  get host(): string {
    const address = this.#server.address() as AddressInfo;
    return `localhost:${address.port}`;
  }

  /** How it is reached: it stands on this machine, where plugins are otherwise not taken from. */
  get download(): { ca: string; allows: (address: string) => boolean } {
    return { ca: this.#certificate, allows: (address) => address === "127.0.0.1" };
  }

  /** Puts an artifact into a repository; gives its reference. */
  push(repository: string, ...layers: Buffer[]): string {
    const manifest = JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      layers: layers.map((layer) => ({
        mediaType: "application/yaml",
        digest: sha(layer),
        size: layer.length,
      })),
    });
    this.files.set(`/v2/${repository}/manifests/${sha(manifest)}`, Buffer.from(manifest));
    for (const layer of layers) this.files.set(`/v2/${repository}/blobs/${sha(layer)}`, layer);
    return `${this.host}/${repository}:v1@${sha(manifest)}`;
  }

  clear(): void {
    this.files.clear();
    this.seen.length = 0;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(
    url: string,
    authorization: string | undefined,
  ): { code: number; headers?: Record<string, string>; body?: string | Buffer } {
    this.seen.push({ path: url, authorization });
    const path = url.split("?")[0] ?? "";
    if (path.startsWith("/v2/private/") && authorization !== "Bearer t0ken") {
      const challenge = `Bearer realm="https://${this.host}/token",service="here",scope="repository:other:pull"`;
      return { code: 401, headers: { "www-authenticate": challenge } };
    }
    if (path === "/token") {
      const good = authorization === `Basic ${Buffer.from("ada:secret").toString("base64")}`;
      return { code: good ? 200 : 401, body: JSON.stringify({ token: "t0ken" }) };
    }
    const found = this.files.get(path);
    if (found === undefined) return { code: 404 };
    return Buffer.isBuffer(found) ? { code: 200, body: found } : found;
  }
}
