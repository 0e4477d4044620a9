import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { bundleCoordinator } from "../controllers/coordinator/bundle";
import { packNodeImage } from "./machines/images";
import type { ImageStore } from "./registry";

/** The registry of our own images, which only the sandbox has. */
export const IMAGE_HOST = "fleetwright.dev";

/** Our programs that run in clusters: how each is bundled, and the variable that names its image to the stack. */
const WORKLOADS = [
  { name: "coordinator", bundle: bundleCoordinator, variable: "FLEETWRIGHT_COORDINATOR_IMAGE" },
] as const;

/**
 * Packs the images of our programs as they are in this checkout, unless the store has them already, and gives the
 * variables that name them to the stack.
 */
export async function ensureWorkloadImages(store: ImageStore): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const { name, bundle, variable } of WORKLOADS) {
    const work = await mkdtemp(path.join(os.tmpdir(), "fleetwright-workload-"));
    try {
      const source = path.join(work, `${name}.js`);
      await bundle(source);
      const content = createHash("sha256")
        .update(process.version)
        .update(await readFile(source));
      const tag = content.digest("hex").slice(0, 16);
      const known = await store.resolve(name, tag);
      variables[variable] =
        known === undefined
          ? await pack(store, { name, tag, source, work })
          : `${IMAGE_HOST}/${name}@${known}`;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  return variables;
}

async function pack(
  store: ImageStore,
  { name, tag, source, work }: { name: string; tag: string; source: string; work: string },
): Promise<string> {
  const archive = path.join(work, "image.tar");
  await packNodeImage({ name: `${IMAGE_HOST}/${name}:${tag}`, source, main: path.basename(source) }, archive);
  const [image] = await store.add(archive);
  if (image === undefined) throw new Error(`The archive of ${name} holds no image.`);
  return image.reference;
}
