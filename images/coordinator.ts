// Packs the coordinator's image from this machine's own Node, without a container engine:
// npx tsx images/coordinator.ts <archive>
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { bundleCoordinator } from "../controllers/coordinator/bundle";
import { packNodeImage } from "../sandbox/machines/images";

/** The name of the image in the sandbox. */
export const COORDINATOR_IMAGE = "fleetwright.dev/coordinator:sandbox";

/** Bundles the coordinator and packs it. */
export async function packCoordinatorImage(archive: string, name = COORDINATOR_IMAGE): Promise<void> {
  const work = await mkdtemp(path.join(os.tmpdir(), "fleetwright-coordinator-image-"));
  try {
    const source = path.join(work, "coordinator.js");
    await bundleCoordinator(source);
    await packNodeImage({ name, source, main: "coordinator.js" }, archive);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

if (require.main === module) {
  const [archive = path.join(process.cwd(), "coordinator.tar")] = process.argv.slice(2);
  void packCoordinatorImage(archive);
}
