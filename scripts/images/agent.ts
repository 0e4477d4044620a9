// Packs the agent's image from this machine's own Node, without a container engine:
// npx tsx images/agent.ts <archive>
import path from "node:path";
import { bundleAgent } from "../../controllers/agent/bundle";
import { NODE_OPTIONS } from "../../api/agent-pod-requirements";
import { packProgramImage } from "./program";

/** The name of the image in the sandbox. */
export const AGENT_IMAGE = "fleetwright.dev/agent:sandbox";

/** Bundles the agent and packs it. It is root, because it writes files of the host. */
export function packAgentImage(archive: string, name = AGENT_IMAGE): Promise<void> {
  const image = { name, main: "agent.js", bundle: bundleAgent, user: "0:0", nodeOptions: NODE_OPTIONS };
  return packProgramImage(image, archive);
}

if (require.main === module) {
  const [archive = path.join(process.cwd(), "agent.tar")] = process.argv.slice(2);
  void packAgentImage(archive);
}
