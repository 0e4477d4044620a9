// Snapshots of the hub's data, and the return to one.
import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { Failure } from "../lib/failure";
import { numberAt, parseJson } from "../lib/json";
import { inspectControlPlane } from "./controlplane";
import { layoutOf } from "./controlplane/layout";
import { ensureTools } from "./toolchain";

const run = promisify(execFile);

/**
 * By how much a restore raises etcd's revision above every one that a client may have seen. A watch from before the restore
 * is then refused, its client lists anew, and sees what has changed. Otherwise it would go on with what it knew.
 */
const REVISIONS_AHEAD = 1_000_000_000;

/** The name and peer address that hub-apiserver gives to the only member of its etcd. */
const MEMBER = { name: "hub", peer: "unix://etcd-peer:0" } as const;

/** Writes a snapshot of the running hub's data into a file that does not exist yet; the file holds Secrets. */
export async function snapshotHub(dir: string, file: string): Promise<void> {
  if (!(await isHubRunning(dir))) {
    throw new Failure(
      `The hub in ${dir} does not run, so its etcd cannot be asked for a snapshot. Start it.`,
    );
  }
  if (await exists(file))
    throw new Failure(`${file} exists: a snapshot overwrites nothing. Give another name.`);
  const { etcdctl } = await ensureTools(["etcdctl"]);
  await mkdir(path.dirname(path.resolve(file)), { recursive: true, mode: 0o700 });
  // etcdctl writes beside the file and renames it, so it is whole or not there.
  await run(etcdctl.path, [`--endpoints=unix://${layoutOf(dir).etcdData}.sock`, "snapshot", "save", file]);
}

/** Makes the stopped hub's data be what a snapshot holds. What was there stays, in the folder that is given back. */
export async function restoreHub(dir: string, file: string): Promise<{ before: string | undefined }> {
  if (await isHubRunning(dir))
    throw new Failure(`The hub in ${dir} runs: stop it before its data is replaced.`);
  if (!(await exists(file))) throw new Failure(`There is no snapshot ${file}.`);
  const { etcdutl } = await ensureTools(["etcdutl"]);
  const { etcdData } = layoutOf(dir);
  const present = await exists(path.join(etcdData, "member", "snap", "db"));
  const [inSnapshot, now] = await Promise.all([
    revisionOf(etcdutl.path, file),
    present ? revisionOf(etcdutl.path, path.join(etcdData, "member", "snap", "db")) : 0,
  ]);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const work = await mkdtemp(path.join(dir, "restore-"));
  try {
    const restored = path.join(work, "etcd");
    await run(etcdutl.path, [
      "snapshot",
      "restore",
      file,
      `--data-dir=${restored}`,
      `--name=${MEMBER.name}`,
      `--initial-cluster=${MEMBER.name}=${MEMBER.peer}`,
      `--initial-advertise-peer-urls=${MEMBER.peer}`,
      // A snapshot may be restored twice: the second time it must be ahead of what was written after the first.
      `--bump-revision=${Math.max(0, now - inSnapshot) + REVISIONS_AHEAD}`,
      "--mark-compacted",
    ]);
    const before = present ? path.join(dir, `etcd-before-${now}`) : undefined;
    if (before === undefined) await rm(etcdData, { recursive: true, force: true });
    else await rename(etcdData, before);
    await rename(restored, etcdData);
    return { before };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function revisionOf(etcdutl: string, file: string): Promise<number> {
  const { stdout } = await run(etcdutl, ["snapshot", "status", file, "--write-out=json"]);
  const revision = numberAt(parseJson(stdout), "revision");
  if (revision === undefined) throw new Failure(`${file} is no snapshot of etcd: it says no revision.`);
  return revision;
}

async function isHubRunning(dir: string): Promise<boolean> {
  const status = await inspectControlPlane(dir);
  return status?.components.some(({ running }) => running) ?? false;
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
