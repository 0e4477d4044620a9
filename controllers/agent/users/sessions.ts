// Kills the processes of a removed account, but not those of containers.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { isOurs } from "./plan";

const ROUNDS = 10;

/**
 * Where the control group of a container begins: as the host sees it, or, behind "/..", as another container does. The
 * groups of a login begin otherwise (user.slice, system.slice), whatever it makes below them.
 */
const CONTAINER =
  /^(?:\/\.\.)*\/(?:kubepods|besteffort\/|burstable\/|pod[0-9a-f]{8}[-_]|cri-containerd-|crio-)/;

/** Whether a process belongs to a container of Kubernetes, by its `/proc/<pid>/cgroup`. */
export function isInContainer(cgroup: string): boolean {
  return cgroup.split("\n").some((line) => CONTAINER.test(line.replace(/^\d+:[^:]*:/, "")));
}

/**
 * Kills all processes of a user id, and gives how many. Those in containers stay: there the same id is somebody else. They
 * get no time to end by themselves, since a removed user has nothing left to save. What starts meanwhile is found in the next round.
 */
export async function endProcesses(proc: string, uid: number): Promise<number> {
  if (!isOurs(uid)) throw new Error(`The user id ${uid} is not one of ours: its processes are not killed.`);
  const ended = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const found = await processesOf(proc, uid);
    if (found.length === 0) break;
    for (const pid of found) {
      try {
        process.kill(pid, "SIGKILL");
        ended.add(pid);
      } catch {
        // It ended by itself.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return ended.size;
}

async function processesOf(proc: string, uid: number): Promise<number[]> {
  const names = (await readdir(proc)).filter((name) => /^[1-9][0-9]*$/.test(name));
  const found: number[] = [];
  for (const name of names) {
    const status = await readFile(path.join(proc, name, "status"), "utf8").catch(() => "");
    const [, real, effective] = /^Uid:\t(\d+)\t(\d+)/m.exec(status) ?? [];
    const zombie = /^State:\tZ/m.test(status);
    if (zombie || ![real, effective].includes(String(uid))) continue;
    const cgroup = await readFile(path.join(proc, name, "cgroup"), "utf8").catch(() => "");
    if (!isInContainer(cgroup)) found.push(Number(name));
  }
  return found;
}
