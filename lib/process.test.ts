import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "./deadline";
import {
  identify,
  isRunning,
  killProcess,
  parseProcessStat,
  ProcessEndedError,
  residentBytes,
  startProcess,
  stopProcess,
  type ProcessIdentity,
  type StartedProcess,
} from "./process";

let dir: string;
const started: ProcessIdentity[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fleetwright-process-test-"));
});

afterAll(async () => {
  started.forEach(killProcess);
  // Until they are gone they may write into the folder.
  await waitFor("the processes to be gone", () => !started.some(isRunning), {
    timeoutMs: 60_000,
  });
  await rm(dir, { recursive: true, force: true });
});

test.each([
  ["1 (sh) S 0 1 1 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 777 1 1", { state: "S", startTick: "777" }],
  ["1 (a) Z (b) R 0 1 1 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 42 1 1", { state: "R", startTick: "42" }],
  ["", undefined],
])("/proc/<pid>/stat is read: %s", (text, fields) => expect(parseProcessStat(text)).toEqual(fields));

test("this process runs, and uses memory", () => {
  const self = identify(process.pid);
  if (self === undefined) throw new Error("no identity");
  expect(isRunning(self)).toBe(true);
  expect(residentBytes(self)).toBeGreaterThan(10_000_000);
});

test("a process is not signalled in place of an earlier one with the same id", async () => {
  const { identity } = await shell("exec sleep 60");
  const earlier = { ...identity, started: `${identity.started}0` };
  expect(isRunning(earlier)).toBe(false);
  await stopProcess("sleep", earlier);
  killProcess(earlier);
  expect(isRunning(identity)).toBe(true);
  await stopProcess("sleep", identity);
  expect(isRunning(identity)).toBe(false);
});

test("a process that does not listen is killed when its time is up", async () => {
  const { identity, ended, spec } = await shell("trap '' TERM; echo deaf; while :; do sleep 0.05; done");
  await waitFor("the trap", async () => (await readFile(spec.logFile, "utf8")).includes("deaf"), {
    timeoutMs: 5000,
  });
  await stopProcess("sh", identity, 200);
  expect(isRunning(identity)).toBe(false);
  expect(await ended).toEqual({ code: null, signal: "SIGKILL" });
});

test("a process that listens ends by itself", async () => {
  const { identity, ended, spec } = await shell(
    "trap 'exit 7' TERM; echo ready; while :; do sleep 0.02; done",
  );
  await waitFor("the trap", async () => (await readFile(spec.logFile, "utf8")).includes("ready"), {
    timeoutMs: 5000,
  });
  await stopProcess("sh", identity);
  expect(await ended).toEqual({ code: 7, signal: null });
});

test("nothing of our environment reaches a process", async () => {
  process.env.ETCD_NAME = "leak";
  const { ended, spec } = await shell("env");
  delete process.env.ETCD_NAME;
  await ended;
  expect(await readFile(spec.logFile, "utf8")).not.toContain("ETCD_NAME");
});

test("the log of the run before is kept", async () => {
  const logFile = join(dir, "twice.log");
  await (
    await shell("echo one", logFile)
  ).ended;
  await (
    await shell("echo two", logFile)
  ).ended;
  expect(await readFile(logFile, "utf8")).toBe("two\n");
  expect(await readFile(`${logFile}.previous`, "utf8")).toBe("one\n");
});

test.each(["missing", "not-executable"])("a program that is %s is named", async (name) => {
  const command = join(dir, name);
  if (name === "not-executable") {
    await writeFile(command, "");
    await chmod(command, 0o600);
  }
  const start = startProcess({
    name: "etcd",
    command,
    args: [],
    env: {},
    logFile: join(dir, "x.log"),
    lifetime: "owned",
  });
  await expect(start).rejects.toThrow(`etcd cannot be started: ${command} is missing or not executable.`);
});

test("the error about an end says who, how, where and why", () => {
  const error = new ProcessEndedError(
    "etcd",
    { code: 2, signal: null },
    "/logs/etcd.log",
    "I0101 x\nE0101 no room\n",
  );
  expect(error.message).toBe(
    "etcd ended with exit code 2. Its log is /logs/etcd.log. Last relevant lines:\n  E0101 no room",
  );
  const killed = new ProcessEndedError("etcd", { code: null, signal: "SIGKILL" }, "/logs/etcd.log", "");
  expect(killed.message).toBe("etcd ended with signal SIGKILL. Its log is /logs/etcd.log. It wrote nothing.");
});

let count = 0;
async function shell(script: string, logFile = join(dir, `${count++}.log`)): Promise<StartedProcess> {
  const env = { PATH: process.env.PATH ?? "" };
  const result = await startProcess({
    name: "sh",
    command: "/bin/sh",
    args: ["-c", script],
    env,
    logFile,
    lifetime: "owned",
  });
  started.push(result.identity);
  return result;
}
