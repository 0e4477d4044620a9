// Reads and writes /etc/passwd, shadow, group and gshadow of the host.
import type { Stats } from "node:fs";
import { HostRefusal, type HostFolder, type Ownership } from "../host";
import type { AccountFiles } from "./plan";

/** In the order of writing: an account exists once it is in passwd, and by then the rest is in place. */
const FILES = ["group", "gshadow", "shadow", "passwd"] as const;
type Name = (typeof FILES)[number];

/** These files have no encoding: names of others may be in any. Byte for byte, they come back as they were. */
const encoding = "latin1";

/** The account files as they were found, with the stats that show whether they changed since. */
export interface FoundFiles {
  texts: AccountFiles;
  stats: ReadonlyMap<Name, Stats>;
}

/** Reads the account files. */
export async function readAccountFiles(etc: HostFolder): Promise<FoundFiles> {
  const stats = new Map<Name, Stats>();
  const text = async (name: Name): Promise<string | undefined> => {
    const found = await etc.read(name, encoding);
    if (found !== undefined) stats.set(name, found.stats);
    return found?.text;
  };
  const needed = async (name: Name): Promise<string> => {
    const found = await text(name);
    if (found === undefined)
      throw new HostRefusal("FileMissing", `${etc.path}/${name} does not exist on the node.`);
    return found;
  };
  const texts = {
    passwd: await needed("passwd"),
    shadow: await needed("shadow"),
    group: await needed("group"),
    gshadow: await text("gshadow"),
  };
  return { texts, stats };
}

/** Whether two versions of the files are the same. */
export function isSame(a: AccountFiles, b: AccountFiles): boolean {
  return FILES.every((name) => a[name] === b[name]);
}

/** Writes those files that differ, each only if it is still the one that was read. */
export async function writeAccountFiles(
  etc: HostFolder,
  found: FoundFiles,
  wanted: AccountFiles,
): Promise<void> {
  for (const name of FILES) {
    const text = wanted[name];
    const stats = found.stats.get(name);
    if (text === undefined || stats === undefined || text === found.texts[name]) continue;
    const check = async (): Promise<void> => {
      const now = await etc.lstat(name);
      if (now === undefined || !sameFile(now, stats))
        throw new HostRefusal(
          "ChangedMeanwhile",
          `${etc.path}/${name} was changed at the same time; retrying.`,
        );
    };
    await etc.write(name, text, ownershipOf(stats), { check, encoding });
  }
}

function ownershipOf({ uid, gid, mode }: Stats): Ownership {
  return { uid, gid, mode: mode & 0o7777 };
}

function sameFile(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}
