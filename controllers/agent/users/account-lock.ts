// Locks the account files against useradd, vipw and the like.
import { link, readFile, unlink, writeFile } from "node:fs/promises";
import { errorCode } from "../../runtime";
import { HostRefusal, type HostFolder } from "../host";

/** The files that shadow's tools lock before they change them, in their order. */
const LOCKED = ["passwd", "group", "gshadow", "shadow"] as const;

/**
 * Runs `work` while `useradd`, `vipw` and the like are locked out: each file has a lock file beside it that names its
 * holder, created by a hard link so that only one process can. The other convention, a kernel lock on `/etc/.pwd.lock`,
 * is not available in Node; a program that uses that one alone is noticed by its change to the file.
 */
export async function withAccountLocks<T>(
  etc: HostFolder,
  work: () => Promise<T>,
  { pid = process.pid, isAlive = lives }: { pid?: number; isAlive?: (pid: number) => boolean } = {},
): Promise<T> {
  const held: string[] = [];
  try {
    for (const name of LOCKED) {
      await take(etc, name, pid, isAlive);
      held.push(`${name}.lock`);
    }
    return await work();
  } finally {
    for (const lock of held.reverse()) await unlink(etc.at(lock)).catch(() => {});
  }
}

async function take(
  etc: HostFolder,
  name: string,
  pid: number,
  isAlive: (pid: number) => boolean,
): Promise<void> {
  const [ticket, lock] = [etc.at(`${name}.${pid}`), etc.at(`${name}.lock`)];
  await unlink(ticket).catch(() => {});
  // In the format of the shadow tools: their name, and a trailing zero byte.
  await writeFile(ticket, `${pid}\0`, { mode: 0o600, flag: "wx" });
  try {
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        await link(ticket, lock);
        return;
      } catch (error) {
        if (errorCode(error) !== "EEXIST") throw error;
      }
      const holder = Number((await readFile(lock, "utf8").catch(() => "")).replace(/\0.*$/s, ""));
      if (holder !== pid && Number.isInteger(holder) && holder > 0 && isAlive(holder))
        throw new HostRefusal(
          "AccountsLocked",
          `${etc.path}/${name} is locked by process ${holder}; retrying.`,
        );
      // Its holder is gone, like an agent that was killed.
      await unlink(lock).catch(() => {});
    }
    throw new HostRefusal("AccountsLocked", `${etc.path}/${name}.lock keeps coming back; retrying.`);
  } finally {
    await unlink(ticket).catch(() => {});
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}
