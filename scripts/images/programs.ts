import path from "node:path";
import { NODE_OPTIONS as AGENT_OPTIONS } from "../../api/agent-pod-requirements";
import { NODE_OPTIONS as COORDINATOR_OPTIONS } from "../../controllers/coordinator/node-options";
import { packNodeImage, type NodeImage } from "../../sandbox/machines/images";
import { bundleProgram } from "./bundle";

/** A program of ours that runs in clusters, and how its image starts it. */
export interface Program extends Pick<NodeImage, "user" | "nodeOptions"> {
  readonly name: "coordinator" | "agent";
}

/** Our programs that run in clusters. */
export const PROGRAMS: readonly Program[] = [
  { name: "coordinator", nodeOptions: COORDINATOR_OPTIONS },
  // It is root, because it writes files of the host.
  { name: "agent", user: "0:0", nodeOptions: AGENT_OPTIONS },
];

const CONTROLLERS = path.join(__dirname, "..", "..", "controllers");

/** Writes the coordinator as one file. */
export const bundleCoordinator = (outfile: string): Promise<void> => bundleNamed("coordinator", outfile);

/** Writes the agent as one file. */
export const bundleAgent = (outfile: string): Promise<void> => bundleNamed("agent", outfile);

/** Writes a program as `<name>.js` into a folder, and gives the path. */
export async function bundleInto(folder: string, { name }: Program): Promise<string> {
  const file = path.join(folder, `${name}.js`);
  await bundleNamed(name, file);
  return file;
}

/** Packs a bundled program as the image `reference`, without a container engine. */
export function packProgram(
  { name, ...settings }: Program,
  image: { reference: string; bundle: string; archive: string },
): Promise<void> {
  const { reference, bundle, archive } = image;
  return packNodeImage({ ...settings, name: reference, source: bundle, main: `${name}.js` }, archive);
}

function bundleNamed(name: Program["name"], outfile: string): Promise<void> {
  return bundleProgram(path.join(CONTROLLERS, name, "main.ts"), outfile);
}
