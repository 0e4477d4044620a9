import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { machineHostKey } from "../addresses";
import { cgroupOf, membersOf } from "../cgroup";
import { run } from "../command";
import { loopsBelow } from "../volume";

/** What the system still has of a machine host: processes, mounts, loop devices and so on. Empty after a clean stop. */
export async function tracesOf(folder: string): Promise<string[]> {
  const dir = existsSync(folder) ? realpathSync(folder) : folder;
  const key = machineHostKey(dir);
  const mentions = (text: string): boolean => text.includes(key) || text.includes(dir);
  const processes = (await run(["ps", "-eo", "pid,args"])).split("\n").filter(mentions);
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n").filter(mentions);
  const namespaces = existsSync("/run/netns") ? readdirSync("/run/netns").filter(mentions) : [];
  const groups = readdirSync("/sys/fs/cgroup").filter((name) =>
    existsSync(path.join("/sys/fs/cgroup", name, cgroupOf(key))),
  );
  return [
    ...processes.map((line) => `process ${line}`),
    ...membersOf(cgroupOf(key)).map((pid) => `process ${pid} in the control group`),
    ...mounts.map((line) => `mount ${line}`),
    ...(await loopsBelow(dir)).map((loop) => `loop device ${loop}`),
    ...namespaces.map((name) => `network namespace ${name}`),
    ...groups.map((name) => `control group in ${name}`),
    ...[`/run/fleetwright/${key}`].filter((file) => existsSync(file)),
  ];
}
