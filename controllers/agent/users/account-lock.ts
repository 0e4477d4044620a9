import { link, readFile, unlink, writeFile } from "node:fs/promises";
import { errorCode } from "../../runtime";
import { HostRefusal, type HostFolder } from "../host";

/** The files that shadow's tools lock before they change them, in their order. */
const LOCKED = ["passwd", "group", "gshadow", "shadow"] as const;

/**
 * Does some work while `useradd`, `vipw` and their kin keep away: each of the files has a lock beside it that names the
 * process which holds it, made by a link so that only one can. The other convention, a kernel lock on `/etc/.pwd.lock`,
 * is out of Node's reach; who keeps to that one alone is noticed by the change that it makes.
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
  // Named like theirs, and like theirs with a closing zero byte.
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
          `${etc.path}/${name} is being changed by process ${holder}; trying again.`,
        );
      // Whoever held it is gone, as an agent is that was killed.
      await unlink(lock).catch(() => {});
    }
    throw new HostRefusal(
      "AccountsLocked",
      `${etc.path}/${name}.lock comes back again and again; trying again.`,
    );
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
