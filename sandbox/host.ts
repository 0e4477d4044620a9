import { readFile, stat, statfs } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { MOTO_FOLDER } from "./aws/environment";
import { availabilityOf, hostFacts } from "./machines/availability";
import { imageExists } from "./machines/image";
import { IMAGE_NODE, imageNodeExists } from "./node-release";
import { type Builder, type MachineFacts, type WorkItem } from "./start-plan";
import { cacheRoot, missingPackages, planTools, type ToolName } from "./toolchain";
import { askVersion } from "./toolchain/installed";
import { environmentKey } from "./toolchain/python-environment";
import { isDebianLike } from "./toolchain/system-packages";

// What this host has and lacks for a start. Looks only: nothing is installed or made.

/** The facts that decide whether machines can run here. */
export async function machineFacts(mayInstall: boolean): Promise<MachineFacts> {
  const facts = hostFacts();
  return {
    uid: facts.uid,
    debianLike: isDebianLike(await readFile("/etc/os-release", "utf8").catch(() => "")),
    mayInstall,
    missingPackages: await missingPackages(),
    now: availabilityOf(facts),
    withPackages: availabilityOf({ ...facts, missingPrograms: [] }),
  };
}

/** What of these tools, moto and the machines' image has to be made first, in the order in which it is. */
export async function missingWork(tools: readonly ToolName[], machines: boolean): Promise<WorkItem[]> {
  const [missing, moto, node, image] = await Promise.all([
    planTools(tools),
    hasMoto(),
    imageNodeExists(),
    machines ? imageExists() : true,
  ]);
  const imageNode = `Node ${IMAGE_NODE.version} for images`;
  return [
    ...(moto ? [] : [{ title: "moto", minutes: 0.6, gigabytes: 0.3, downloadable: false }]),
    ...(node ? [] : [{ title: imageNode, minutes: 0.1, gigabytes: 0.2, downloadable: false }]),
    ...(image ? [] : [{ title: "the machines' image", minutes: 2.7, gigabytes: 0.7, downloadable: false }]),
    ...missing,
  ];
}

/** What the estimate of time and disk depends on. */
export async function builder(): Promise<Builder> {
  return {
    cores: os.availableParallelism(),
    freeGigabytes: await freeGigabytes(cacheRoot()),
    downloads: process.env.FLEETWRIGHT_TOOLS_DOWNLOAD !== "off",
  };
}

async function hasMoto(): Promise<boolean> {
  const python = await askVersion("python3", ["--version"], /Python (\d\S*)/);
  if (python === undefined) return false;
  const requirements = await readFile(path.join(MOTO_FOLDER, "requirements.txt"), "utf8");
  const folder = path.join(cacheRoot(), "moto", environmentKey("moto", requirements, python));
  return exists(path.join(folder, "complete"));
}

async function freeGigabytes(folder: string): Promise<number | undefined> {
  if (!(await exists(folder)) && path.dirname(folder) !== folder) return freeGigabytes(path.dirname(folder));
  const found = await statfs(folder).catch(() => undefined);
  return found === undefined ? undefined : Math.floor((found.bavail * found.bsize) / 1e9);
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
