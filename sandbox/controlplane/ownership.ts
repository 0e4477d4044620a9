import { randomUUID } from "node:crypto";
import { link, mkdtemp, readdir, rename, rm, stat, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorCode, Failure } from "../../lib/failure";
import { readIfPresent } from "../../lib/files";
import { parseJson, textAt, numberAt } from "../../lib/json";
import { layoutOf } from "./layout";
import { identify, isRunning, killProcess, pidNamespace, type ProcessIdentity } from "../../lib/process";
import { readRecord } from "./record";

const PREFIX = "fleetwright-controlplane-";

/** A directory without an owner is only swept at this age: a younger one may be about to get its owner. */
const ORPHAN_MS = 10 * 60_000;

/** Who works with a directory. */
interface Owner extends ProcessIdentity {
  namespace: string;
}

/** Makes a temporary directory that is swept by a later run if this process ends without removing it. */
export async function makeTemporaryDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), PREFIX));
}

/** Leaves of a temporary directory what explains a failure; the rest goes with the sweep after this process has ended. */
export async function keepOnlyLogs(dir: string): Promise<void> {
  const layout = layoutOf(dir);
  const others = (await readdir(dir))
    .map((name) => join(dir, name))
    .filter((path) => path !== layout.logs && path !== layout.owner);
  await Promise.all(others.map((path) => rm(path, { recursive: true, force: true })));
}

/** Claims a directory for this process, or fails naming its owner. */
export async function claim(dir: string): Promise<void> {
  const path = layoutOf(dir).owner;
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await createWhole(path, JSON.stringify(self()))) return;
    const owner = await readOwner(path);
    if (owner !== undefined && lives(owner)) {
      throw new Failure(
        `The control plane in ${dir} belongs to process ${owner.pid}, which is running. Stop it or use another directory.`,
      );
    }
    await removeDeadOwner(path);
  }
  throw new Failure(`The directory ${dir} could not be claimed: others claim it at the same time.`);
}

/** Releases a directory. */
export async function release(dir: string): Promise<void> {
  try {
    await unlink(layoutOf(dir).owner);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** Removes temporary directories of processes that ended without doing it, and what they may have left running. */
export async function sweepTemporaryDirectories(parent = tmpdir()): Promise<string[]> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(PREFIX));
  const swept: string[] = [];
  for (const dir of names.map((name) => join(parent, name))) {
    try {
      if (!(await isAbandoned(dir))) continue;
      for (const process of (await readRecord(dir))?.processes ?? []) killProcess(process);
      await rm(dir, { recursive: true, force: true });
      swept.push(dir);
    } catch (error) {
      // Another user's directory, or one that another run is sweeping.
      if (!["EACCES", "EPERM", "ENOENT", "ENOTEMPTY"].includes(errorCode(error) ?? "")) throw error;
    }
  }
  return swept;
}

async function isAbandoned(dir: string): Promise<boolean> {
  const owner = await readOwner(layoutOf(dir).owner);
  if (owner !== undefined) return owner.namespace === pidNamespace() && !lives(owner);
  return Date.now() - (await stat(dir)).mtimeMs > ORPHAN_MS;
}

async function readOwner(path: string): Promise<Owner | undefined> {
  const value = parseJson((await readIfPresent(path)) ?? "");
  const [pid, started, namespace] = [
    numberAt(value, "pid"),
    textAt(value, "started"),
    textAt(value, "namespace"),
  ];
  return pid === undefined || started === undefined || namespace === undefined
    ? undefined
    : { pid, started, namespace };
}

// A link appears with its content, so nobody ever reads half an owner. False where the file existed.
async function createWhole(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await unlink(draft);
  }
}

// Between reading and removing, another process may have removed the dead owner and taken its place: it gets it back.
async function removeDeadOwner(path: string): Promise<void> {
  const aside = `${path}.${process.pid}.${randomUUID()}`;
  try {
    await rename(path, aside);
    const owner = await readOwner(aside);
    if (owner !== undefined && lives(owner)) await link(aside, path);
    await unlink(aside);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
  }
}

// A process of another namespace cannot be seen from here, so it is taken to live.
function lives(owner: Owner): boolean {
  return owner.namespace !== pidNamespace() || isRunning(owner);
}

function self(): Owner {
  const identity = identify(process.pid);
  if (identity === undefined) {
    throw new Failure(
      `/proc/${process.pid}/stat cannot be read. The control plane needs Linux with /proc mounted.`,
    );
  }
  return { ...identity, namespace: pidNamespace() };
}
