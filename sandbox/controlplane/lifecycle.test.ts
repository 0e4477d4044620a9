import { spawn, type ChildProcess } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  inspectControlPlane,
  startControlPlane,
  stopControlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
  type ProcessEndedError,
} from ".";
import { ApiClient } from "./api";
import { waitFor } from "../../lib/deadline";
import { parseJson, textAt } from "../../lib/json";
import { layoutOf } from "./layout";
import { sweepTemporaryDirectories } from "./ownership";
import { isRunning, killProcess, type ProcessIdentity } from "../../lib/process";
import { readRecord } from "./record";

const least: ControlPlaneOptions = { components: { controllerManager: false, scheduler: false } };
const cleanups: (() => Promise<unknown> | undefined)[] = [];
let scratch: string;

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), "fleetwright-lifecycle-test-"));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
});

test("two control planes run at once, apart; stopping leaves no process and no directory", async () => {
  const [one, two] = await Promise.all([start(least), start(least)]);
  expect(one.dir).not.toBe(two.dir);
  expect(one.processes.map(({ port }) => port)).not.toEqual(two.processes.map(({ port }) => port));
  await createNamespace(one, "only-in-one");
  expect((await send(one, "GET", "/api/v1/namespaces/only-in-one")).status).toBe(200);
  expect((await send(two, "GET", "/api/v1/namespaces/only-in-one")).status).toBe(404);
  await Promise.all([one.stop(), two.stop()]);
  for (const plane of [one, two]) {
    expect(plane.processes.filter(isRunning)).toEqual([]);
    expect(await exists(plane.dir)).toBe(false);
  }
  await one.stop();
});

test("a kept directory keeps data, ports and certificates; a taken port is replaced", async () => {
  const dir = join(scratch, "kept");
  const first = await start({ ...least, dir });
  const kubeconfig = await readFile(first.kubeconfig, "utf8");
  await createNamespace(first, "survivor");
  await expect(startControlPlane({ ...least, dir })).rejects.toThrow(
    /belongs to process \d+, which is running/,
  );
  await first.stop();
  expect((await inspectControlPlane(dir))?.components).toEqual([]);

  const second = await start({ ...least, dir });
  expect(second.endpoint).toBe(first.endpoint);
  expect(await readFile(second.kubeconfig, "utf8")).toBe(kubeconfig);
  expect((await send(second, "GET", "/api/v1/namespaces/survivor")).status).toBe(200);
  await second.stop();

  const blocked = (await readRecord(dir))?.ports;
  if (blocked === undefined) throw new Error("no record");
  await listen(blocked.apiServer);
  await listen(blocked.etcdPeer);
  const third = await start({ ...least, dir });
  expect(third.endpoint).not.toBe(first.endpoint);
  expect((await send(third, "GET", "/api/v1/namespaces/survivor")).status).toBe(200);
});

test("simulated nodes of a kept directory take pods right after a restart", async () => {
  const dir = join(scratch, "nodes");
  const options = { dir, nodes: 1, components: { scheduler: false } };
  const first = await start(options);
  const lease = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1";
  await waitFor("the lease of the node", async () => (await send(first, "GET", lease)).status === 200, {
    timeoutMs: 120_000,
  });
  await first.stop();
  const again = await start(options);
  // Named "y": YAML reads a bare y as a truth value, and a kwok configuration that forgets to quote it breaks.
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "traveller" },
    spec: {
      nodeName: "node-1",
      containers: [{ name: "y", image: "y" }],
    },
  };
  expect((await send(again, "POST", "/api/v1/namespaces/default/pods", pod)).status).toBe(201);
  await waitFor(
    "the pod to run",
    async () => {
      const { body } = await send(again, "GET", "/api/v1/namespaces/default/pods/traveller");
      return textAt(parseJson(body), "status", "phase") === "Running" || "it does not run";
    },
    { timeoutMs: 120_000 },
  );
});

test("a detached one lives on after its starter, and is found, checked and stopped by its directory", async () => {
  const dir = join(scratch, "detached");
  cleanups.push(() => stopControlPlane(dir));
  const starter = startElsewhere({ ...least, dir, lifetime: "detached", name: "far" });
  await firstLine(starter);
  await new Promise((resolve) =>
    starter.exitCode === null ? starter.once("exit", resolve) : resolve(undefined),
  );
  expect(starter.exitCode).toBe(0);
  const { processes, server } = await recordedProcesses(dir);
  expect(processes.filter(isRunning)).toHaveLength(2);
  await expect(startControlPlane({ ...least, dir })).rejects.toThrow(
    /already running in .*etcd \(process \d+\).*Stop it/s,
  );
  expect(await inspectControlPlane(dir)).toMatchObject({ name: "far", ready: true, components: [{}, {}] });

  killProcess(server);
  await waitFor("the API server to be gone", () => !isRunning(server), { timeoutMs: 120_000 });
  const broken = await inspectControlPlane(dir);
  expect(broken?.ready).toBe(false);
  expect(broken?.components).toMatchObject([
    { name: "etcd", running: true, ready: true },
    { name: "kube-apiserver", running: false, ready: false, problem: "not running" },
  ]);

  await stopControlPlane(dir);
  expect(processes.filter(isRunning)).toEqual([]);
  expect(await exists(layoutOf(dir).etcdData)).toBe(true);
});

test("nothing outlives an owner that is killed, and its directory is swept", async () => {
  const owner = startElsewhere(least);
  const dir = textAt(await firstLine(owner), "dir") ?? "";
  const { processes } = await recordedProcesses(dir);
  cleanups.push(async () => processes.forEach(killProcess));
  expect(processes.filter(isRunning)).toHaveLength(2);
  owner.kill("SIGKILL");
  await waitFor("all to end", () => processes.filter(isRunning).length === 0, {
    timeoutMs: 120_000,
    intervalMs: 20,
  });
  expect(await exists(dir)).toBe(true);
  await sweepTemporaryDirectories();
  expect(await exists(dir)).toBe(false);
});

test("a component that dies after the start is reported with its log", async () => {
  const reports: ProcessEndedError[] = [];
  const plane = await start({ ...least, onEnd: (error) => reports.push(error) });
  const etcd = plane.processes.find(({ name }) => name === "etcd");
  if (etcd === undefined) throw new Error("no etcd");
  killProcess(etcd);
  await waitFor("the report", () => reports.length > 0, { timeoutMs: 120_000 });
  expect(reports[0]?.message).toContain("etcd ended with signal SIGKILL. Its log is ");
  expect(reports[0]?.logFile).toBe(join(plane.dir, "logs", "etcd.log"));
  await plane.stop();
  expect(reports).toHaveLength(1);
});

test("a component that fails at the start is reported with the lines that matter, and the others are stopped", async () => {
  const pidFile = join(scratch, "failing-pid");
  const etcd = await script("etcd", writesPid(pidFile));
  // It fails when etcd runs, never before.
  const server = await script(
    "kube-apiserver",
    `until [ -e ${pidFile} ]; do sleep 0.02; done; echo "I0101 fine"; echo "Error: unknown flag: --new" >&2; exit 3`,
  );
  const failure = startControlPlane({ ...least, tools: { etcd, "kube-apiserver": server } });
  await expect(failure).rejects.toThrow(
    /^kube-apiserver ended with exit code 3\. Its log is (.*kube-apiserver\.log)\. Last relevant lines:\n {2}Error: unknown flag: --new$/,
  );
  const logFile = /Its log is (\S+)\. /.exec(await failure.then(String, String))?.[1] ?? "";
  expect(await readFile(logFile, "utf8")).toContain("I0101 fine");
  cleanups.push(() => rm(join(logFile, "..", ".."), { recursive: true }));
  expect(await exists(layoutOf(join(logFile, "..", "..")).pki)).toBe(false);
  await expectGone(pidFile);
});

test("a start that is given up stops what was started", async () => {
  const pidFile = join(scratch, "given-up-pid");
  const etcd = await script("etcd", writesPid(pidFile));
  const server = await script("kube-apiserver", "exec sleep 3600");
  const control = new AbortController();
  const dir = join(scratch, "given-up");
  const starting = startControlPlane({
    ...least,
    dir,
    signal: control.signal,
    tools: { etcd, "kube-apiserver": server },
  });
  const outcome = expect(starting).rejects.toThrow("Ctrl-C");
  await waitFor("etcd", async () => exists(pidFile), { timeoutMs: 120_000 });
  control.abort(new Error("Ctrl-C"));
  await outcome;
  await expectGone(pidFile);
  expect((await readRecord(dir))?.processes).toEqual([]);
});

test("a start that is never ready ends at its deadline and says what it waited for", async () => {
  const idle = await script("idle", "exec sleep 3600");
  const starting = startControlPlane({
    ...least,
    dir: join(scratch, "never"),
    timeoutMs: 300,
    tools: { etcd: idle, "kube-apiserver": idle },
  });
  await expect(starting).rejects.toThrow(
    /Waited 0\.3 s for (etcd|kube-apiserver) to be ready \(log: .*\)\. Last seen: .*ECONNREFUSED/,
  );
});

test("a port that is lost between choice and start is chosen anew", async () => {
  const etcd = await script(
    "etcd",
    `echo "$@" >> ${scratch}/starts; [ $(wc -l < ${scratch}/starts) -gt 1 ] && exec sleep 3600; echo "bind: address already in use"; exit 1`,
  );
  const server = await script("kube-apiserver", "exec sleep 3600");
  const control = new AbortController();
  const starting = startControlPlane({
    ...least,
    dir: join(scratch, "lost"),
    signal: control.signal,
    tools: { etcd, "kube-apiserver": server },
  });
  const outcome = expect(starting).rejects.toThrow("seen enough");
  const ports = async () => (await readFile(`${scratch}/starts`, "utf8")).trim().split("\n").map(clientPort);
  await waitFor("a second start", async () => (await ports()).length === 2, { timeoutMs: 120_000 });
  control.abort(new Error("seen enough"));
  await outcome;
  const [first, second] = await ports();
  expect(first).toBeGreaterThan(0);
  expect(second).toBeGreaterThan(0);
  expect(second).not.toBe(first);
});

async function start(options: ControlPlaneOptions): Promise<ControlPlane> {
  const plane = await startControlPlane(options);
  cleanups.push(() => plane.stop());
  return plane;
}

async function send(plane: ControlPlane, method: string, path: string, body?: unknown) {
  const client = await plane.credentialsFor("tester", ["fleetwright:cluster-admins"]);
  const api = new ApiClient({
    endpoint: plane.endpoint,
    authority: await readFile(plane.caCertificate, "utf8"),
    client,
  });
  try {
    return await api.send(method, path, body);
  } finally {
    api.close();
  }
}

async function createNamespace(plane: ControlPlane, name: string): Promise<void> {
  const { status } = await send(plane, "POST", "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  });
  expect(status).toBe(201);
}

async function listen(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
}

async function script(name: string, body: string): Promise<string> {
  const path = join(scratch, `${name}.sh`);
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o700);
  return path;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function startElsewhere(options: ControlPlaneOptions): ChildProcess {
  const program = join(__dirname, "testdata", "starter.ts");
  const child = spawn(process.execPath, ["--import", "tsx", program, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanups.push(() => void child.kill("SIGKILL"));
  return child;
}

async function recordedProcesses(
  dir: string,
): Promise<{ processes: ProcessIdentity[]; server: ProcessIdentity }> {
  const processes = (await readRecord(dir))?.processes ?? [];
  const server = processes.find(({ name }) => name === "kube-apiserver");
  if (server === undefined) throw new Error(`No API server is recorded in ${dir}.`);
  return { processes, server };
}

async function firstLine(child: ChildProcess): Promise<unknown> {
  if (child.stdout === null) throw new Error("no output");
  for await (const line of createInterface(child.stdout)) return parseJson(line);
  throw new Error("The owner ended without a word.");
}

/** A shell script that writes its process id, whole or not at all, and stays. */
function writesPid(file: string): string {
  return `echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 3600`;
}

async function expectGone(pidFile: string): Promise<void> {
  const pid = Number((await readFile(pidFile, "utf8")).trim());
  expect(pid).toBeGreaterThan(1);
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
}

function clientPort(line: string): number {
  return Number(/--listen-client-urls=https:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
}
