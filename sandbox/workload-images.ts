import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { bundleInto, packProgram, STACK_PROGRAMS } from "../scripts/images/programs";
import { ensureImageNode } from "./node-release";
import type { ImageStore } from "./registry";

/** The registry of our own images, which only the sandbox has. */
export const IMAGE_HOST = "fleetwright.dev";

/**
 * Packs the images of our programs that clusters of stacks run, as they are in this checkout, unless the store has them already, and gives the
 * variables that name them to the stack.
 */
export async function ensureWorkloadImages(store: ImageStore): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  const { version } = await ensureImageNode();
  const work = await mkdtemp(path.join(os.tmpdir(), "fleetwright-workload-"));
  try {
    for (const program of STACK_PROGRAMS) {
      const { name } = program;
      const bundle = await bundleInto(work, program);
      const content = createHash("sha256")
        // Who it runs as and how Node is started are in the image too.
        .update(JSON.stringify([version, program]))
        .update(await readFile(bundle));
      const tag = content.digest("hex").slice(0, 16);
      const known = await store.resolve(name, tag);
      const variable = `FLEETWRIGHT_${name.toUpperCase()}_IMAGE`;
      if (known !== undefined) {
        variables[variable] = `${IMAGE_HOST}/${name}@${known}`;
        continue;
      }
      const archive = path.join(work, `${name}.tar`);
      const reference = `${IMAGE_HOST}/${name}:${tag}`;
      await packProgram(program, { reference, bundle, archive });
      const [stored] = await store.add(archive);
      if (stored === undefined) throw new Error(`The archive of ${reference} holds no image.`);
      variables[variable] = stored.reference;
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return variables;
}
