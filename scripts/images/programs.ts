import path from "node:path";
import { NODE_OPTIONS as AGENT_OPTIONS } from "../../api/agent-pod-requirements";
import { NODE_OPTIONS as COORDINATOR_OPTIONS } from "../../controllers/coordinator/node-options";
import { ExitCode, Failure } from "../../lib/failure";
import { packNodeImage, type NodeImage } from "../../sandbox/machines/images";
import { bundleProgram } from "./bundle";

/** A program of ours that runs in clusters, and how its image starts it. */
export interface Program extends Pick<NodeImage, "user" | "nodeOptions"> {
  readonly name: "coordinator" | "agent" | "hub" | "syncer";
  /** In one sentence, for the image's labels. */
  readonly description: string;
  /** The setting of a stack that names the image; missing for what no cluster of a stack runs. */
  readonly setting?: string;
}

/** Our programs that run in clusters. */
export const PROGRAMS: readonly Program[] = [
  {
    name: "coordinator",
    description: "Keeps a cluster in the shape that was declared.",
    setting: "coordinator.image",
    nodeOptions: COORDINATOR_OPTIONS,
  },
  {
    name: "agent",
    description: "Does on a node what the cluster's objects say about it.",
    setting: "agent.image",
    // It is root, because it writes files of the host.
    user: "0:0",
    nodeOptions: AGENT_OPTIONS,
  },
  // A hub of a thousand objects has more on its heap than a coordinator: Node's own settings suit it.
  { name: "hub", description: "The controllers of a hub: they spread work over its members." },
  {
    name: "syncer",
    description: "Keeps one member of a hub in step with what the hub places there.",
    nodeOptions: COORDINATOR_OPTIONS,
  },
];

/** Those that clusters of stacks run: what is built, pushed and packed unless others are named. */
export const STACK_PROGRAMS = PROGRAMS.filter(({ setting }) => setting !== undefined);

/** The programs of a list such as `hub,syncer`. */
export function programsIn(list: string): Program[] {
  return list.split(",").map((name) => {
    const program = PROGRAMS.find((one) => one.name === name);
    if (program === undefined)
      throw new Failure(
        `There is no program ${JSON.stringify(name)}: use some of ${PROGRAMS.map((one) => one.name).join(",")}.`,
        ExitCode.usage,
      );
    return program;
  });
}

const CONTROLLERS = path.join(__dirname, "..", "..", "controllers");

/** Writes the coordinator as one file. */
export const bundleCoordinator = async (outfile: string): Promise<void> => {
  await bundleNamed("coordinator", outfile);
};

/** Writes the agent as one file. */
export const bundleAgent = async (outfile: string): Promise<void> => {
  await bundleNamed("agent", outfile);
};

/** Writes a program as `<name>.js` into a folder, and gives the path. */
export async function bundleInto(folder: string, { name }: Program): Promise<string> {
  const file = path.join(folder, `${name}.js`);
  await bundleNamed(name, file);
  return file;
}

/** The same, with the files that went into it. */
export async function bundleWithSources(
  folder: string,
  { name }: Program,
): Promise<{ file: string; sources: string[] }> {
  const file = path.join(folder, `${name}.js`);
  return { file, sources: await bundleNamed(name, file) };
}

/** Packs a bundled program as the image `reference`, without a container engine. */
export function packProgram(
  { name, user, nodeOptions }: Program,
  image: { reference: string; bundle: string; archive: string },
): Promise<void> {
  const { reference, bundle, archive } = image;
  const settings = {
    ...(user === undefined ? {} : { user }),
    ...(nodeOptions === undefined ? {} : { nodeOptions }),
  };
  return packNodeImage({ ...settings, name: reference, source: bundle, main: `${name}.js` }, archive);
}

function bundleNamed(name: Program["name"], outfile: string): Promise<string[]> {
  return bundleProgram(path.join(CONTROLLERS, name, "main.ts"), outfile);
}
