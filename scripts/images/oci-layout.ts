// Images in a folder, as the OCI image layout has them: https://github.com/opencontainers/image-spec/blob/main/image-layout.md
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../../lib/failure";
import { readIfPresent } from "../../lib/files";
import { at, listAt, numberAt, parseJson, textAt } from "../../lib/json";
import { digestOf } from "./digest";

/** Media types of OCI. */
export const MediaType = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
  empty: "application/vnd.oci.empty.v1+json",
} as const;

/** What names a blob or manifest. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly artifactType?: string;
  readonly platform?: { readonly architecture: string; readonly os: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The annotation by which a layout names an image. */
const NAME = "org.opencontainers.image.ref.name";

/** Collects blobs, and writes them as a layout that replaces the one before. */
export class LayoutDraft {
  readonly #blobs = new Map<string, Buffer>();

  /** Takes a blob in. */
  add(mediaType: string, content: Buffer | string): Descriptor {
    const bytes = Buffer.from(content);
    const digest = digestOf(bytes);
    this.#blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  }

  /** Takes a manifest or index in. */
  addJson(mediaType: string, value: object): Descriptor {
    return this.add(mediaType, JSON.stringify(value));
  }

  /** Writes the layout: the image by its tag, and what refers to it. */
  async write(
    folder: string,
    tag: string,
    image: Descriptor,
    referrers: readonly Descriptor[],
  ): Promise<void> {
    const draft = `${folder}.draft`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(path.join(draft, "blobs", "sha256"), { recursive: true });
    for (const [digest, bytes] of this.#blobs) await writeFile(blobFile(draft, digest), bytes);
    await writeFile(path.join(draft, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
    const manifests = [{ ...image, annotations: { [NAME]: tag } }, ...referrers];
    const index = { schemaVersion: 2, mediaType: MediaType.index, manifests };
    await writeFile(path.join(draft, "index.json"), JSON.stringify(index));
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  }
}

/** A layout that was written. */
export class Layout {
  private constructor(
    readonly folder: string,
    readonly tag: string,
    /** The image: an index over its platforms. */
    readonly image: Descriptor,
    /** What refers to an image in it, such as a bill of materials. */
    readonly referrers: readonly Descriptor[],
  ) {}

  /** Opens a layout; one that is not there, or is none, is an error that says how to make it. */
  static async open(folder: string): Promise<Layout> {
    const index = parseJson((await readIfPresent(path.join(folder, "index.json"))) ?? "");
    const all = descriptorsIn(index, "manifests");
    const image = all.find(({ annotations }) => annotations?.[NAME] !== undefined);
    const tag = image?.annotations?.[NAME];
    if (image === undefined || tag === undefined)
      throw new Failure(
        `${folder} holds no image of ours. Make it first: npm run images -- build --out ${path.dirname(folder)}`,
      );
    return new Layout(
      folder,
      tag,
      image,
      all.filter((one) => one !== image),
    );
  }

  /** The bytes of a blob or manifest, if they are what the digest says. */
  async read({ digest }: Pick<Descriptor, "digest">): Promise<Buffer> {
    const bytes = await readFile(blobFile(this.folder, digest));
    if (digestOf(bytes) === digest) return bytes;
    throw new Failure(`${blobFile(this.folder, digest)} was changed: build the images again.`);
  }

  /** A manifest's parts: the manifests below an index, or the blobs of an image. */
  async partsOf(manifest: Descriptor): Promise<Descriptor[]> {
    const value = parseJson((await this.read(manifest)).toString());
    if (manifest.mediaType === MediaType.index) return descriptorsIn(value, "manifests");
    return [at(value, "config"), ...listAt(value, "layers")].flatMap(asDescriptor);
  }

  /** What a manifest refers to. */
  async subjectOf(manifest: Descriptor): Promise<Descriptor | undefined> {
    return asDescriptor(at(parseJson((await this.read(manifest)).toString()), "subject"))[0];
  }
}

/** The descriptors in a list of a manifest. */
export function descriptorsIn(value: unknown, key: string): Descriptor[] {
  return listAt(value, key).flatMap(asDescriptor);
}

function asDescriptor(value: unknown): Descriptor[] {
  const isOne =
    textAt(value, "mediaType") !== undefined &&
    textAt(value, "digest") !== undefined &&
    numberAt(value, "size") !== undefined;
  return isOne ? [value as Descriptor] : [];
}

function blobFile(folder: string, digest: string): string {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1];
  if (hex === undefined) throw new Failure(`${JSON.stringify(digest)} in ${folder} is no digest.`);
  return path.join(folder, "blobs", "sha256", hex);
}
