// Builds our programs as OCI images: every processor, without a container engine, the same bytes each time.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { version, license } from "../../package.json";
import type { Progress } from "../../lib/progress";
import { ensureNode, IMAGE_NODE } from "../../sandbox/node-release";
import { baseFiles } from "./base-layer";
import { type BasePackage, fetchBasePackages } from "./base-packages";
import { type Layer, packLayer } from "./layer";
import { bundledPackages, licenseFiles, type BundledPackage } from "./npm-packages";
import { type Descriptor, LayoutDraft, MediaType } from "./oci-layout";
import { nameOf, type Platform } from "./platforms";
import { bundleWithSources, type Program, STACK_PROGRAMS } from "./programs";
import { SBOM_TYPE, spdxDocument } from "./sbom";

/** What is to be built. */
export interface BuildSettings {
  /** The folder of the layouts, one for each program. */
  readonly out: string;
  readonly tag: string;
  readonly platforms: readonly Platform[];
  /** @default those that clusters of stacks run */
  readonly programs?: readonly Program[];
}

/** A layout that was built. */
export interface BuiltImage {
  readonly program: Program["name"];
  readonly folder: string;
  readonly digest: string;
}

/** What stands under every program of a platform. */
interface Base {
  readonly layer: Layer;
  readonly packages: readonly BasePackage[];
}

/** Where the sources stand. */
interface Revision {
  readonly commit: string | undefined;
  readonly seconds: number;
}

/** Builds the images of programs. */
export async function buildImages(settings: BuildSettings, progress: Progress): Promise<BuiltImage[]> {
  const { out, platforms, programs = STACK_PROGRAMS } = settings;
  await mkdir(out, { recursive: true });
  const work = await mkdtemp(path.join(os.tmpdir(), "fleetwright-images-"));
  try {
    const packages = await progress.step("fetching Debian's libraries", () =>
      fetchBasePackages(work, platforms),
    );
    const bases = new Map<Platform, Base>();
    for (const platform of platforms) {
      const node = await ensureNode(IMAGE_NODE, { progress, architecture: platform.node });
      const own = packages.get(platform) ?? [];
      const layer = await progress.step(`packing the base for ${nameOf(platform)}`, async () =>
        packLayer(await baseFiles(platform, own, node), 0),
      );
      bases.set(platform, { layer, packages: own });
    }
    const revision = await revisionOf();
    const built: BuiltImage[] = [];
    for (const program of programs) {
      const name = `fleetwright-${program.name}:${settings.tag}`;
      built.push(
        await progress.step(`packing ${name}`, () => packImage(program, settings, bases, revision, work)),
      );
    }
    return built;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function packImage(
  program: Program,
  { out, tag }: BuildSettings,
  bases: ReadonlyMap<Platform, Base>,
  revision: Revision,
  work: string,
): Promise<BuiltImage> {
  const { file, sources } = await bundleWithSources(work, program);
  const bundled = bundledPackages(sources);
  const app = await packLayer(
    [{ path: `app/${program.name}.js`, file }, ...licenseFiles(bundled)],
    revision.seconds,
  );
  const draft = new LayoutDraft();
  const manifests: Descriptor[] = [];
  const referrers: Descriptor[] = [];
  for (const [platform, base] of bases) {
    const manifest = addImage(draft, program, platform, [base.layer, app], revision);
    manifests.push({ ...manifest, platform: { os: "linux", architecture: platform.architecture } });
    referrers.push(addSbom(draft, manifest, program, platform, base, bundled, revision));
  }
  const image = draft.addJson(MediaType.index, {
    schemaVersion: 2,
    mediaType: MediaType.index,
    manifests,
    annotations: labels(program, revision),
  });
  const folder = path.join(out, program.name);
  await draft.write(folder, tag, image, referrers);
  return { program: program.name, folder, digest: image.digest };
}

function addImage(
  draft: LayoutDraft,
  program: Program,
  { architecture }: Platform,
  layers: readonly Layer[],
  revision: Revision,
): Descriptor {
  const created = dateOf(revision);
  const config = draft.addJson(MediaType.config, {
    architecture,
    os: "linux",
    created,
    config: {
      User: program.user ?? "65532:65532",
      Env: ["PATH=/usr/bin", "NODE_ENV=production"],
      Entrypoint: ["/usr/bin/node", ...(program.nodeOptions ?? []), `/app/${program.name}.js`],
      WorkingDir: "/app",
      Labels: labels(program, revision),
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created, created_by: "fleetwright-images" })),
  });
  return draft.addJson(MediaType.manifest, {
    schemaVersion: 2,
    mediaType: MediaType.manifest,
    config,
    layers: layers.map(({ content }) => draft.add(MediaType.layer, content)),
    annotations: labels(program, revision),
  });
}

/** The bill of materials, as an artifact that refers to the image. */
function addSbom(
  draft: LayoutDraft,
  subject: Descriptor,
  program: Program,
  platform: Platform,
  { packages }: Base,
  bundled: readonly BundledPackage[],
  revision: Revision,
): Descriptor {
  const text = spdxDocument({
    name: `fleetwright-${program.name}`,
    version,
    platform,
    seconds: revision.seconds,
    imageDigest: subject.digest,
    nodeVersion: IMAGE_NODE.version,
    system: packages,
    bundled,
  });
  const manifest = draft.addJson(MediaType.manifest, {
    schemaVersion: 2,
    mediaType: MediaType.manifest,
    artifactType: SBOM_TYPE,
    config: draft.add(MediaType.empty, "{}"),
    layers: [draft.add(SBOM_TYPE, text)],
    subject,
    annotations: { "org.opencontainers.image.created": dateOf(revision) },
  });
  return { ...manifest, artifactType: SBOM_TYPE };
}

function labels({ name, description }: Program, revision: Revision): Record<string, string> {
  return {
    "org.opencontainers.image.title": `fleetwright-${name}`,
    "org.opencontainers.image.description": description,
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.licenses": license,
    "org.opencontainers.image.created": dateOf(revision),
    ...(revision.commit === undefined ? {} : { "org.opencontainers.image.revision": revision.commit }),
  };
}

function dateOf({ seconds }: Revision): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** The commit that is checked out, and its time: SOURCE_DATE_EPOCH where it is set, and 1970 outside of a repository. */
async function revisionOf(): Promise<Revision> {
  const given = Number(process.env.SOURCE_DATE_EPOCH ?? "");
  const git = async (...args: string[]): Promise<string | undefined> =>
    promisify(execFile)("git", args, { cwd: __dirname }).then(
      ({ stdout }) => stdout.trim(),
      () => undefined,
    );
  const commit = await git("rev-parse", "HEAD");
  const isClean = (await git("status", "--porcelain", "--untracked-files=no")) === "";
  const seconds = given > 0 ? given : Number((await git("log", "-1", "--format=%ct")) ?? 0);
  return { commit: commit === undefined || isClean ? commit : `${commit}-dirty`, seconds };
}
