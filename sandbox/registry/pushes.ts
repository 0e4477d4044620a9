import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { at, isObject, listAt, parseJson, textAt } from "../../lib/json";
import type { ImageStore } from "./image-store";
import { refuse } from "./refuse";

/**
 * The half of the distribution protocol that takes images. As registries do, it knows for each repository what is in it: a
 * blob that only another one has must be mounted or sent again, and a manifest without its parts is refused.
 */
export class Pushes {
  readonly #contents = new Map<string, Set<string>>();
  readonly #uploads = new Map<string, string>();
  readonly #referrers = new Map<string, object[]>();

  constructor(private readonly store: ImageStore) {}

  /** Answers what belongs to a push, and says whether it has. */
  async answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<boolean> {
    const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://registry");
    const { method } = incoming;
    const [, repository = "", what = "", reference = ""] =
      /^\/v2\/(.+)\/(blobs\/uploads|blobs|manifests|referrers)\/([^/]*)$/.exec(
        decodeURIComponent(pathname),
      ) ?? [];
    if (method === "POST" && what === "blobs/uploads") this.#begin(repository, searchParams, outgoing);
    else if (method === "PUT" && what === "blobs/uploads")
      await this.#end(repository, reference, searchParams.get("digest"), incoming, outgoing);
    else if (method === "PUT" && what === "manifests")
      await this.#manifest(repository, reference, incoming, outgoing);
    else if (method === "GET" && what === "referrers") this.#list(reference, outgoing);
    else if (method === "HEAD" && what === "blobs" && !this.#of(repository).has(reference))
      outgoing.writeHead(404).end();
    else return false;
    return true;
  }

  #of(repository: string): Set<string> {
    const known = this.#contents.get(repository) ?? new Set();
    this.#contents.set(repository, known);
    return known;
  }

  #begin(repository: string, query: URLSearchParams, outgoing: ServerResponse): void {
    const [mount, from] = [query.get("mount"), query.get("from")];
    if (mount !== null && from !== null && this.#of(from).has(mount)) {
      this.#of(repository).add(mount);
      outgoing.writeHead(201, { location: `/v2/${repository}/blobs/${mount}` }).end();
      return;
    }
    const id = randomUUID();
    this.#uploads.set(id, repository);
    outgoing.writeHead(202, { location: `/v2/${repository}/blobs/uploads/${id}?state=1` }).end();
  }

  async #end(
    repository: string,
    id: string,
    digest: string | null,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    const content = await bodyOf(incoming);
    if (this.#uploads.get(id) !== repository) {
      refuse(outgoing, 404, "BLOB_UPLOAD_UNKNOWN", `There is no upload ${id} to ${repository}.`);
      return;
    }
    this.#uploads.delete(id);
    const stored = await this.store.put(content);
    if (stored !== digest) {
      refuse(outgoing, 400, "DIGEST_INVALID", `The content has the digest ${stored}.`);
      return;
    }
    this.#of(repository).add(stored);
    outgoing.writeHead(201, { location: `/v2/${repository}/blobs/${stored}` }).end();
  }

  async #manifest(
    repository: string,
    reference: string,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    const content = await bodyOf(incoming);
    const manifest = parseJson(content.toString());
    const known = this.#of(repository);
    const parts = [at(manifest, "config"), ...listAt(manifest, "layers"), ...listAt(manifest, "manifests")];
    const missing = parts
      .map((part) => textAt(part, "digest"))
      .filter((part) => part !== undefined && !known.has(part));
    if (!isObject(manifest) || missing.length > 0) {
      refuse(outgoing, 400, "MANIFEST_BLOB_UNKNOWN", `${repository} has no ${missing.join(", ")}.`);
      return;
    }
    const digest = await this.store.put(content);
    known.add(digest);
    if (reference !== digest) await this.store.tag(repository, reference, digest);
    const subject = textAt(manifest, "subject", "digest");
    if (subject !== undefined) {
      const before = (this.#referrers.get(subject) ?? []).filter((one) => textAt(one, "digest") !== digest);
      const { mediaType, artifactType } = manifest;
      this.#referrers.set(subject, [...before, { mediaType, artifactType, digest, size: content.length }]);
    }
    const headers = { location: `/v2/${repository}/manifests/${digest}`, "docker-content-digest": digest };
    outgoing.writeHead(201, subject === undefined ? headers : { ...headers, "oci-subject": subject }).end();
  }

  #list(subject: string, outgoing: ServerResponse): void {
    const mediaType = "application/vnd.oci.image.index.v1+json";
    const manifests = this.#referrers.get(subject) ?? [];
    outgoing
      .writeHead(200, { "content-type": mediaType })
      .end(JSON.stringify({ schemaVersion: 2, mediaType, manifests }));
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
