import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { run } from "../command";

/** What a container of an image runs. */
export interface ImageSettings {
  /** The full name with its tag, such as `fleetwright.dev/pause:1`. */
  name: string;
  entrypoint: readonly string[];
  env?: Readonly<Record<string, string>>;
  workingDir?: string;
  /** User and group id. @default the root user */
  user?: string;
}

/**
 * Packs a folder as an image of one layer, in the archive form that `ctr images import` reads. No container engine is
 * needed. The same folder gives the same bytes.
 */
export async function packImage(rootfs: string, settings: ImageSettings, archive: string): Promise<void> {
  const work = await mkdtemp(path.join(os.tmpdir(), "fleetwright-image-"));
  try {
    await tar(rootfs, path.join(work, "layer.tar"), ["."]);
    const config = JSON.stringify(imageConfig(settings, await digestOf(path.join(work, "layer.tar"))));
    const configName = `${createHash("sha256").update(config).digest("hex")}.json`;
    await writeFile(path.join(work, configName), config);
    const manifest = [{ Config: configName, RepoTags: [settings.name], Layers: ["layer.tar"] }];
    await writeFile(path.join(work, "manifest.json"), JSON.stringify(manifest));
    await mkdir(path.dirname(archive), { recursive: true });
    await tar(work, `${archive}.draft`, ["manifest.json", configName, "layer.tar"]);
    await rename(`${archive}.draft`, archive);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The configuration of an image, as the OCI image specification has it. */
export function imageConfig(settings: ImageSettings, layerDigest: string): unknown {
  return {
    architecture: process.arch === "arm64" ? "arm64" : "amd64",
    os: "linux",
    created: "1970-01-01T00:00:00Z",
    config: {
      Entrypoint: settings.entrypoint,
      Env: Object.entries(settings.env ?? {}).map(([name, value]) => `${name}=${value}`),
      WorkingDir: settings.workingDir ?? "/",
      ...(settings.user === undefined ? {} : { User: settings.user }),
    },
    rootfs: { type: "layers", diff_ids: [`sha256:${layerDigest}`] },
    history: [{ created: "1970-01-01T00:00:00Z", created_by: "fleetwright" }],
  };
}

/** Copies files into a root file system that is being made, each at its own path, links followed. */
export async function copyInto(rootfs: string, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const target = path.join(rootfs, file);
    await mkdir(path.dirname(target), { recursive: true });
    await cp(file, target, { dereference: true });
  }
}

async function tar(folder: string, archive: string, names: readonly string[]): Promise<void> {
  const fixed = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--format=gnu"];
  await run(["tar", ...fixed, "-C", folder, "-cf", archive, ...names]);
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
