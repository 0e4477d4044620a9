import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { bundleAgent } from "../controllers/agent/bundle";
import { NODE_OPTIONS as AGENT_OPTIONS } from "../api/agent-pod-requirements";
import { bundleCoordinator } from "../controllers/coordinator/bundle";
import { NODE_OPTIONS as COORDINATOR_OPTIONS } from "../controllers/coordinator/node-options";
import { packNodeImage, type NodeImage } from "./machines/images";
import type { ImageStore } from "./registry";

/** The registry of our own images, which only the sandbox has. */
export const IMAGE_HOST = "fleetwright.dev";

/** Our programs that run in clusters: how each is bundled, and the variable that names its image to the stack. */
const WORKLOADS: readonly Workload[] = [
  {
    name: "coordinator",
    bundle: bundleCoordinator,
    variable: "FLEETWRIGHT_COORDINATOR_IMAGE",
    nodeOptions: COORDINATOR_OPTIONS,
  },
  // It is root, because it writes files of the host.
  {
    name: "agent",
    bundle: bundleAgent,
    variable: "FLEETWRIGHT_AGENT_IMAGE",
    user: "0:0",
    nodeOptions: AGENT_OPTIONS,
  },
];

interface Workload extends Pick<NodeImage, "user" | "nodeOptions"> {
  name: string;
  bundle: (outfile: string) => Promise<void>;
  variable: string;
}

/**
 * Packs the images of our programs as they are in this checkout, unless the store has them already, and gives the
 * variables that name them to the stack.
 */
export async function ensureWorkloadImages(store: ImageStore): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const { name, bundle, variable, ...settings } of WORKLOADS) {
    const work = await mkdtemp(path.join(os.tmpdir(), "fleetwright-workload-"));
    try {
      const source = path.join(work, `${name}.js`);
      await bundle(source);
      const content = createHash("sha256")
        // Who it runs as and how Node is started are in the image too.
        .update(JSON.stringify([process.version, settings]))
        .update(await readFile(source));
      const tag = content.digest("hex").slice(0, 16);
      const known = await store.resolve(name, tag);
      variables[variable] =
        known === undefined
          ? await pack(store, work, {
              ...settings,
              name: `${IMAGE_HOST}/${name}:${tag}`,
              source,
              main: path.basename(source),
            })
          : `${IMAGE_HOST}/${name}@${known}`;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  return variables;
}

async function pack(store: ImageStore, work: string, image: NodeImage): Promise<string> {
  const archive = path.join(work, "image.tar");
  await packNodeImage(image, archive);
  const [stored] = await store.add(archive);
  if (stored === undefined) throw new Error(`The archive of ${image.name} holds no image.`);
  return stored.reference;
}
