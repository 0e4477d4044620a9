// Creates, repairs and closes home directories with their authorized_keys.
import { createHash, randomBytes } from "node:crypto";
import { errorCode } from "../../runtime";
import { HostRefusal, type HostFolder, type HostRoot } from "../host";
import { describeTampering } from "./authorized-keys";

const SSH = ".ssh";
const KEYS = "authorized_keys";
/** sshd reads this file too unless configured otherwise, so it must not exist. */
const MORE_KEYS = "authorized_keys2";

/** An account whose home is managed. */
export interface Resident {
  name: string;
  uid: number;
  /** The wanted content of `authorized_keys`. */
  keys: string;
  /** The digest of what was last written there; undefined if nothing was. */
  lastKeys: string | undefined;
}

/** A digest of a file of keys, short enough for thousands of them. */
export function keysDigest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

/**
 * Creates or repairs a home directory with its keys. Returns, in words, the changes by others that it found. Other files
 * in the home belong to the user and are not touched.
 */
export function openHome(root: HostRoot, homesFolder: string, resident: Resident): Promise<string[]> {
  const { name, uid, lastKeys } = resident;
  const owner = { uid, gid: uid, mode: 0o700 };
  return root.inFolder(homesFolder, async (homes) => {
    const findings: string[] = [];
    const known = await homes.folder(name);
    const home = known ?? (await homes.ensureFolder(name, owner));
    try {
      const had = await home.ownership();
      // Closed when its User was deleted, or left unfinished when the agent was stopped.
      if (had.uid !== uid || had.gid !== uid) await home.setOwnership(owner);
      // sshd ignores keys below a folder that others may write to.
      else if ((had.mode & 0o022) !== 0) {
        findings.push(`the home had mode ${octal(had.mode)}`);
        await home.setOwnership({ ...had, mode: had.mode & ~0o022 });
      }
      const ssh = await keysFolder(home, owner, findings, lastKeys !== undefined);
      try {
        await putKeys(ssh, resident, findings);
      } finally {
        await ssh.close();
      }
    } finally {
      await home.close();
    }
    return findings;
  });
}

async function keysFolder(
  home: HostFolder,
  owner: { uid: number; gid: number; mode: number },
  findings: string[],
  expected: boolean,
): Promise<HostFolder> {
  let found: HostFolder | undefined;
  try {
    found = await home.folder(SSH);
  } catch (error) {
    if (!(error instanceof HostRefusal)) throw error;
    findings.push(`${SSH} was not a folder (${error.reason})`);
    await home.remove(SSH);
  }
  if (found === undefined) {
    if (expected && findings.length === 0) findings.push(`${SSH} was missing`);
    return home.ensureFolder(SSH, owner);
  }
  await found.orClosed(async (ssh) => {
    const had = await ssh.ownership();
    if ((await ssh.setOwnership(owner)) && expected)
      findings.push(`${SSH} had owner ${had.uid} and mode ${octal(had.mode)}`);
  });
  return found;
}

async function putKeys(
  ssh: HostFolder,
  { uid, keys, lastKeys }: Resident,
  findings: string[],
): Promise<void> {
  if ((await ssh.lstat(MORE_KEYS)) !== undefined) {
    findings.push(`there was ${MORE_KEYS}`);
    await putAway(ssh, MORE_KEYS);
  }
  const stands = await ssh.lstat(KEYS);
  if (stands !== undefined && !stands.isFile()) {
    findings.push(
      stands.isSymbolicLink()
        ? `${KEYS} was a symbolic link to ${await ssh.linkTarget(KEYS)}`
        : `${KEYS} was not a file`,
    );
    await putAway(ssh, KEYS);
  }
  const found = await ssh.read(KEYS);
  if (found === undefined) {
    if (lastKeys !== undefined && findings.length === 0) findings.push(`${KEYS} was missing`);
  } else {
    const { stats, text } = found;
    const owned = stats.uid === uid && stats.gid === uid;
    const private_ = (stats.mode & 0o7777) === 0o600;
    if (text === keys && owned && private_) return;
    if (text !== keys && lastKeys !== undefined && keysDigest(text) !== lastKeys)
      findings.push(`${KEYS} had ${describeTampering(text, keys)}`);
    if (!owned || !private_)
      findings.push(`${KEYS} had owner ${stats.uid} and mode ${octal(stats.mode & 0o7777)}`);
  }
  try {
    await ssh.write(KEYS, keys, { uid, gid: uid, mode: 0o600 });
  } catch (error) {
    // No access is better than access by a removed key; a file that only lacks new keys does no harm.
    const lines = new Set(keys.split("\n"));
    if (found?.text.split("\n").some((line) => !lines.has(line)) === true)
      await ssh.remove(KEYS).catch(() => {});
    throw error;
  }
}

/** Removes something; a folder that is not empty is renamed instead. */
async function putAway(ssh: HostFolder, name: string): Promise<void> {
  try {
    await ssh.remove(name);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
    await ssh.rename(name, `${name}.found-${randomBytes(4).toString("hex")}`);
  }
}

/** Removes the keys of an account, before anything else of it. */
export async function takeKeys(root: HostRoot, homesFolder: string, name: string): Promise<void> {
  try {
    await root.ifFolder(`${homesFolder}/${name}/${SSH}`, (ssh) => ssh.remove(KEYS));
  } catch (error) {
    // Something else is there. The account itself is removed next, and then no key works.
    if (!(error instanceof HostRefusal) && !["ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? ""))
      throw error;
  }
}

/** Closes the home of a removed account: its content stays, accessible to root only. */
export async function closeHome(root: HostRoot, homesFolder: string, name: string): Promise<void> {
  try {
    await root.ifFolder(`${homesFolder}/${name}`, (home) =>
      home.setOwnership({ uid: 0, gid: 0, mode: 0o700 }),
    );
  } catch (error) {
    if (!(error instanceof HostRefusal)) throw error;
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}
