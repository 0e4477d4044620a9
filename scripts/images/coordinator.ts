// Packs the coordinator's image from this machine's own Node, without a container engine:
// npx tsx images/coordinator.ts <archive>
import path from "node:path";
import { bundleCoordinator } from "../../controllers/coordinator/bundle";
import { NODE_OPTIONS } from "../../controllers/coordinator/node-options";
import { packProgramImage } from "./program";

/** The name of the image in the sandbox. */
export const COORDINATOR_IMAGE = "fleetwright.dev/coordinator:sandbox";

/** Bundles the coordinator and packs it. */
export function packCoordinatorImage(archive: string, name = COORDINATOR_IMAGE): Promise<void> {
  const image = { name, main: "coordinator.js", bundle: bundleCoordinator, nodeOptions: NODE_OPTIONS };
  return packProgramImage(image, archive);
}

if (require.main === module) {
  const [archive = path.join(process.cwd(), "coordinator.tar")] = process.argv.slice(2);
  void packCoordinatorImage(archive);
}
