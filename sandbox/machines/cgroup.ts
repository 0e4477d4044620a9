import { existsSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import path from "node:path";
import { waitFor } from "../../lib/deadline";
import { errorCode } from "../../lib/failure";

const ROOT = "/sys/fs/cgroup";
/** All sandboxes are below this group. */
const PARENT = "fleetwright";

/** The control group of a sandbox, or of one of its machines, as a path below each hierarchy. */
export function cgroupOf(key: string, machineId?: string): string {
  return path.join(PARENT, key, machineId ?? "");
}

/** The processes of a control group and of all groups below it. */
export function membersOf(cgroup: string): number[] {
  const members = foldersOf(cgroup)
    .flatMap(treeOf)
    .flatMap((folder) => lines(path.join(folder, "cgroup.procs")));
  return [...new Set(members.map(Number))].filter((pid) => pid > 0);
}

/** Kills every process of a control group, waits until they are gone and removes the group. */
export async function removeCgroup(cgroup: string): Promise<void> {
  await waitFor(
    `the processes of the control group ${cgroup} to end`,
    () => {
      const members = membersOf(cgroup);
      for (const pid of members) kill(pid);
      return members.length === 0 || `processes ${members.join(", ")} still run`;
    },
    { timeoutMs: 20_000, intervalMs: 20 },
  );
  await waitFor(
    `the control group ${cgroup} to be removed`,
    () => {
      const folders = foldersOf(cgroup).flatMap(treeOf);
      for (const folder of folders.reverse()) remove(folder);
      return foldersOf(cgroup).length === 0;
    },
    { timeoutMs: 10_000, intervalMs: 20 },
  );
  // Gone with the last sandbox; where another one is left, the kernel refuses.
  for (const folder of foldersOf(PARENT)) remove(folder);
}

function foldersOf(cgroup: string): string[] {
  const hierarchies = existsSync(path.join(ROOT, "cgroup.controllers"))
    ? [ROOT]
    : readdirSync(ROOT).map((name) => path.join(ROOT, name));
  return hierarchies.map((hierarchy) => path.join(hierarchy, cgroup)).filter((folder) => existsSync(folder));
}

function treeOf(folder: string): string[] {
  try {
    const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [folder, ...below.flatMap(({ name }) => treeOf(path.join(folder, name)))];
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

function lines(file: string): string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch (error) {
    if (["ENOENT", "ENODEV"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    // Busy means that a process is still on its way out, or that the group belongs to others too.
    if (!["ENOENT", "EBUSY", "ENOTEMPTY"].includes(errorCode(error) ?? "")) throw error;
  }
}
