// Bundles the coordinator into one file that needs nothing but Node: npx tsx controllers/coordinator/bundle.ts <file>
import path from "node:path";
import { bundleProgram } from "../app/bundle";

/** Writes the bundle. */
export function bundleCoordinator(outfile: string): Promise<void> {
  return bundleProgram(path.join(__dirname, "main.ts"), outfile);
}

if (require.main === module) {
  const [outfile = path.join(process.cwd(), "coordinator.js")] = process.argv.slice(2);
  void bundleCoordinator(outfile);
}
