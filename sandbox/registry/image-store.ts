import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../../lib/failure";
import { readIfPresent } from "../../lib/files";
import { isObject, parseJson } from "../../lib/json";
import { run } from "../machines/command";

const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";
const CONFIG_TYPE = "application/vnd.oci.image.config.v1+json";
const LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar";
const DIGEST = /^sha256:([0-9a-f]{64})$/;

/** An image in a store. */
export interface StoredImage {
  /** The registry's host, as in the image's name. */
  host: string;
  repository: string;
  tag: string;
  digest: string;
  /** The name by which nobody can be given another image: host, repository and digest. */
  reference: string;
}

/**
 * Images in a folder, by their digests, as a registry keeps them. Images go in as the archives that `packImage` makes;
 * whoever serves the folder may be another process.
 */
export class ImageStore {
  constructor(readonly folder: string) {}

  /** Takes in every image of an archive. What is there already is not written again. */
  async add(archive: string): Promise<StoredImage[]> {
    await mkdir(this.folder, { recursive: true });
    const work = await mkdtemp(path.join(this.folder, ".draft-"));
    try {
      await run(["tar", "-xf", archive, "-C", work]);
      const entries = parseJson(await readFile(path.join(work, "manifest.json"), "utf8"));
      const added: StoredImage[] = [];
      for (const entry of Array.isArray(entries) ? entries : []) {
        if (!isArchiveEntry(entry)) throw new Failure(`${archive} is no archive of images.`);
        added.push(...(await this.#addImage(work, entry)));
      }
      return added;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }

  /** The digest of a repository's manifest, by tag or digest; undefined for what is not there. */
  async resolve(repository: string, reference: string): Promise<string | undefined> {
    if (!isRepository(repository)) return undefined;
    if (DIGEST.test(reference)) return (await this.size(reference)) === undefined ? undefined : reference;
    if (!isTag(reference)) return undefined;
    const digest = await readIfPresent(this.#tagFile(repository, reference));
    return digest?.trim();
  }

  /** Takes in a blob or manifest. */
  async put(content: Uint8Array): Promise<string> {
    const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
    const target = this.blob(digest);
    await mkdir(path.dirname(target), { recursive: true });
    const draft = `${target}.${randomUUID()}`;
    await writeFile(draft, content);
    await rename(draft, target);
    return digest;
  }

  /** Gives a manifest a tag, or another one the tag. */
  async tag(repository: string, tag: string, digest: string): Promise<void> {
    if (!isRepository(repository) || !isTag(tag)) throw new Failure(`${repository}:${tag} is no tag.`);
    const file = this.#tagFile(repository, tag);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(`${file}.draft`, `${digest}\n`);
    await rename(`${file}.draft`, file);
  }

  /** The file of a blob or manifest. */
  blob(digest: string): string {
    const hex = DIGEST.exec(digest)?.[1];
    if (hex === undefined) throw new Failure(`${JSON.stringify(digest)} is no digest.`);
    return path.join(this.folder, "blobs", hex);
  }

  /** The size of a blob or manifest; undefined for what is not there. */
  async size(digest: string): Promise<number | undefined> {
    if (!DIGEST.test(digest)) return undefined;
    return stat(this.blob(digest)).then(
      ({ size }) => size,
      () => undefined,
    );
  }

  async #addImage(work: string, { Config, RepoTags, Layers }: ArchiveEntry): Promise<StoredImage[]> {
    const layers = [];
    for (const layer of Layers)
      layers.push({ mediaType: LAYER_TYPE, ...(await this.#keep(inside(work, layer))) });
    const config = { mediaType: CONFIG_TYPE, ...(await this.#keep(inside(work, Config))) };
    const manifest = path.join(work, ".manifest");
    await writeFile(manifest, JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST_TYPE, config, layers }));
    const { digest } = await this.#keep(manifest);
    return Promise.all(
      RepoTags.map(async (name) => {
        const { host, repository, tag } = parseName(name);
        await this.tag(repository, tag, digest);
        return { host, repository, tag, digest, reference: `${host}/${repository}@${digest}` };
      }),
    );
  }

  async #keep(file: string): Promise<{ digest: string; size: number }> {
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    const digest = `sha256:${hash.digest("hex")}`;
    const { size } = await stat(file);
    const target = this.blob(digest);
    await mkdir(path.dirname(target), { recursive: true });
    if ((await this.size(digest)) !== size) await rename(file, target);
    return { digest, size };
  }

  #tagFile(repository: string, tag: string): string {
    return path.join(this.folder, "tags", repository.replaceAll("/", "~"), tag);
  }
}

interface ArchiveEntry {
  Config: string;
  RepoTags: string[];
  Layers: string[];
}

function isArchiveEntry(value: unknown): value is ArchiveEntry {
  return (
    isObject(value) &&
    typeof value.Config === "string" &&
    [value.RepoTags, value.Layers].every(
      (list) => Array.isArray(list) && list.every((item) => typeof item === "string"),
    )
  );
}

/** A file of an unpacked archive, and no other. */
function inside(folder: string, name: string): string {
  const file = path.resolve(folder, name);
  if (!file.startsWith(`${folder}${path.sep}`))
    throw new Failure(`The archive names ${name}, outside of it.`);
  return file;
}

/** Splits `host/repository:tag`. */
export function parseName(name: string): { host: string; repository: string; tag: string } {
  const [, host, repository, tag] = /^([a-z0-9.-]+(?::[0-9]+)?)\/([^:@]+):([^:@/]+)$/.exec(name) ?? [];
  if (
    host === undefined ||
    repository === undefined ||
    tag === undefined ||
    !isRepository(repository) ||
    !isTag(tag)
  )
    throw new Failure(
      `The image ${JSON.stringify(name)} needs a name such as fleetwright.dev/coordinator:1.`,
    );
  return { host, repository, tag };
}

/** Whether a text can name a repository: words of small letters and digits, with single signs between. */
export function isRepository(text: string): boolean {
  return /^[a-z0-9]+(?:[._-][a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-][a-z0-9]+)*)*$/.test(text);
}

function isTag(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(text);
}
