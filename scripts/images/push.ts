// Uploads images that were built to a registry.
import path from "node:path";
import type { Progress } from "../../lib/progress";
import { type Descriptor, Layout, MediaType } from "./oci-layout";
import { type Program, STACK_PROGRAMS } from "./programs";
import { type BlobOutcome, RegistryClient } from "./registry-client";
import type { RegistryLogin } from "./registry-login";
import { type RegistryTarget, repositoryOf } from "./registry-name";

/** An image in a registry. */
export interface PushedImage {
  readonly program: Program["name"];
  /** By its digest, so that it cannot become another one. */
  readonly reference: string;
  /** How many blobs were there before, were mounted and were uploaded. */
  readonly blobs: Readonly<Record<BlobOutcome, number>>;
}

/** Uploads the layouts of programs, under the tag that they were built with or another one. */
export async function pushImages(
  {
    from,
    tag,
    target,
    login,
    programs = STACK_PROGRAMS,
  }: {
    readonly from: string;
    readonly tag: string | undefined;
    readonly target: RegistryTarget;
    readonly login: RegistryLogin | undefined;
    /** @default those that clusters of stacks run */
    readonly programs?: readonly Program[];
  },
  progress: Progress,
): Promise<PushedImage[]> {
  const client = new RegistryClient(target, login);
  const layouts = await Promise.all(
    programs.map(async ({ name }) => ({ name, layout: await Layout.open(path.join(from, name)) })),
  );
  // Where each blob can be mounted from: a repository of the same registry that has it.
  const known = new Map<string, string>();
  const pushed: PushedImage[] = [];
  for (const { name, layout } of layouts) {
    const repository = repositoryOf(target, name);
    const blobs = { there: 0, mounted: 0, uploaded: 0 };
    const upload = new Upload(client, layout, repository, known, blobs);
    await progress.step(`pushing ${target.host}/${repository}:${tag ?? layout.tag}`, async (update) => {
      await upload.image(layout.image, tag ?? layout.tag);
      for (const referrer of layout.referrers) await upload.referrer(referrer);
      update(`${blobs.uploaded} uploaded, ${blobs.mounted} mounted, ${blobs.there} there before`);
    });
    const reference = `${target.host}/${repository}@${layout.image.digest}`;
    pushed.push({ program: name, reference, blobs });
  }
  return pushed;
}

class Upload {
  constructor(
    private readonly client: RegistryClient,
    private readonly layout: Layout,
    private readonly repository: string,
    private readonly known: Map<string, string>,
    private readonly blobs: Record<BlobOutcome, number>,
  ) {}

  /** The parts come first: a registry takes no manifest whose parts it does not have. */
  async image(index: Descriptor, tag: string): Promise<void> {
    for (const manifest of await this.layout.partsOf(index)) await this.manifest(manifest);
    await this.client.putManifest(this.repository, tag, index.mediaType, await this.layout.read(index));
  }

  /**
   * What refers to an image. A registry that does not keep account of that gets an index under a tag made from the
   * image's digest, as the specification has it.
   */
  async referrer(descriptor: Descriptor): Promise<void> {
    const { keepsReferrers } = await this.manifest(descriptor);
    if (keepsReferrers) return;
    const subject = await this.layout.subjectOf(descriptor);
    if (subject === undefined) return;
    const tag = subject.digest.replace(":", "-");
    const there = await this.client.readIndex(this.repository, tag);
    if (there.some(({ digest }) => digest === descriptor.digest)) return;
    const index = { schemaVersion: 2, mediaType: MediaType.index, manifests: [...there, descriptor] };
    await this.client.putManifest(this.repository, tag, MediaType.index, Buffer.from(JSON.stringify(index)));
  }

  private async manifest(manifest: Descriptor): Promise<{ keepsReferrers: boolean }> {
    const { client, layout, repository, known, blobs } = this;
    for (const part of await layout.partsOf(manifest)) {
      const elsewhere = known.get(part.digest);
      const from = elsewhere === repository ? undefined : elsewhere;
      const outcome = await client.ensureBlob(repository, part, () => layout.read(part), from);
      known.set(part.digest, elsewhere ?? repository);
      blobs[outcome] += 1;
    }
    return client.putManifest(repository, manifest.digest, manifest.mediaType, await layout.read(manifest));
  }
}
