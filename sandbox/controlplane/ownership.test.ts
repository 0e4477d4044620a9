import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claim, release, sweepTemporaryDirectories } from "./ownership";
import { identify, isRunning, killProcess, pidNamespace, startProcess } from "../../lib/process";
import { writeRecord } from "./record";

let parent: string;
const dead = { pid: 4_000_000, started: "another-boot:1" };

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "fleetwright-ownership-test-"));
});

afterEach(() => rm(parent, { recursive: true, force: true }));

test("a directory has one owner, until it is given free", async () => {
  await claim(parent);
  await expect(claim(parent)).rejects.toThrow(`belongs to process ${process.pid}, which is running`);
  await release(parent);
  await claim(parent);
});

test("the directory of a dead owner can be taken", async () => {
  await own(parent, dead);
  await claim(parent);
});

test("a damaged owner file stops nobody", async () => {
  await writeFile(join(parent, "owner.json"), "{");
  await claim(parent);
});

test("directories of the dead are swept, those of the living are not", async () => {
  const self = identify(process.pid) ?? dead;
  await own(await make("dead"), dead);
  await own(await make("alive"), self);
  await own(await make("elsewhere"), dead, "pid:[1]");
  await make("young-without-owner");
  const old = await make("old-without-owner");
  const hourAgo = Date.now() / 1000 - 3600;
  await utimes(old, hourAgo, hourAgo);
  await mkdir(join(parent, "not-ours"));
  const swept = await sweepTemporaryDirectories(parent);
  expect(swept.map(lastPart).sort()).toEqual(["dead", "old-without-owner"]);
  expect((await readdir(parent)).map(lastPart).sort()).toEqual([
    "alive",
    "elsewhere",
    "not-ours",
    "young-without-owner",
  ]);
});

test("what a dead owner left running is killed", async () => {
  const logFile = join(parent, "sleep.log");
  const { identity, ended } = await startProcess({
    name: "etcd",
    command: "/bin/sleep",
    args: ["60"],
    env: {},
    logFile,
    lifetime: "owned",
  });
  try {
    const dir = await make("dead");
    await own(dir, dead);
    const ports = { etcdClient: 1, etcdPeer: 2, apiServer: 3, controllerManager: 4, scheduler: 5, kwok: 6 };
    writeRecord(dir, { name: "x", ports, processes: [{ name: "etcd", port: 1, logFile, ...identity }] });
    await sweepTemporaryDirectories(parent);
    expect((await ended).signal).toBe("SIGKILL");
    expect(isRunning(identity)).toBe(false);
  } finally {
    killProcess(identity);
  }
});

async function make(name: string): Promise<string> {
  const dir = join(parent, `fleetwright-controlplane-${name}`);
  await mkdir(dir);
  return dir;
}

async function own(
  dir: string,
  owner: { pid: number; started: string },
  namespace = pidNamespace(),
): Promise<void> {
  await writeFile(join(dir, "owner.json"), JSON.stringify({ ...owner, namespace }));
}

function lastPart(path: string): string {
  return path.replace(/^.*fleetwright-controlplane-/, "");
}
