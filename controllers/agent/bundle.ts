// Bundles the agent into one file that needs nothing but Node: npx tsx controllers/agent/bundle.ts <file>
import path from "node:path";
import { bundleProgram } from "../app/bundle";

/** Writes the bundle. */
export function bundleAgent(outfile: string): Promise<void> {
  return bundleProgram(path.join(__dirname, "main.ts"), outfile);
}

if (require.main === module) {
  const [outfile = path.join(process.cwd(), "agent.js")] = process.argv.slice(2);
  void bundleAgent(outfile);
}
