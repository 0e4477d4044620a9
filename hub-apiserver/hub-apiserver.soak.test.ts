import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { waitFor } from "../lib/deadline";
import { parseJson, textAt } from "../lib/json";
import { isRunning, killProcess, startProcess, stopProcess, type StartedProcess } from "../lib/process";
import { startControlPlane, type ControlPlane } from "../sandbox/controlplane";
import { ApiClient } from "../sandbox/controlplane/api";
import { argumentsOf } from "../sandbox/controlplane/components";
import { certificateFiles, layoutOf } from "../sandbox/controlplane/layout";
import { choosePorts } from "../sandbox/controlplane/ports";
import { readRecord } from "../sandbox/controlplane/record";
import { ensureTools } from "../sandbox/toolchain";

const soon = { timeoutMs: 120_000 };
const least = { controllerManager: false, scheduler: false };
const cleanups: (() => Promise<unknown>)[] = [];
let scratch: string;

beforeEach(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), "fleetwright-hub-soak-"));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
});

test("it stays up: nothing in it waits for what it does not have and gives up after a minute", async () => {
  const hub = await startControlPlane({ server: "hub-apiserver" });
  cleanups.push(() => hub.stop());
  const admin = await adminOf(hub, hub.endpoint);
  const end = Date.now() + 150_000;
  while (Date.now() < end) {
    expect(hub.processes.filter(isRunning)).toHaveLength(1);
    expect((await admin.send("GET", "/readyz")).body).toBe("ok");
    await pause(2_000);
  }
  const service = await admin.create("/api/v1/namespaces/default/services", {
    metadata: { name: "late" },
    spec: { ports: [{ port: 80 }] },
  });
  expect(textAt(service, "spec", "clusterIP")).toMatch(/^10\./);
});

test("two servers share an etcd, and when the one whose controllers run is killed, the other's take over", async () => {
  const plane = await startControlPlane({ components: least, dir: path.join(scratch, "etcd") });
  cleanups.push(() => plane.stop());
  const servers = [await joinEtcd(plane, "one"), await joinEtcd(plane, "two")];
  const admins = await Promise.all(servers.map(({ endpoint }) => adminOf(plane, endpoint)));
  const [first] = admins;
  if (first === undefined) throw new Error("no server");
  await waitFor("the servers", async () => (await Promise.all(admins.map(isReady))).every(Boolean), soon);
  const lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/hub-controllers";
  const holder = async (admin: ApiClient): Promise<string> =>
    textAt(parseJson((await admin.send("GET", lease)).body), "spec", "holderIdentity") ?? "";
  await waitFor("a leader", async () => (await holder(first)) !== "", soon);
  const leader = await holder(first);
  const logs = await Promise.all(servers.map(({ process: { spec } }) => readFile(spec.logFile, "utf8")));
  const index = logs.findIndex((log) => /successfully acquired lease/i.test(log));
  const [led, other] = [servers[index], admins[1 - index]];
  if (led === undefined || other === undefined) throw new Error("nobody leads");
  killProcess(led.process.identity);
  await waitFor("the other to lead", async () => ![leader, ""].includes(await holder(other)), soon);
  await other.create("/api/v1/namespaces", { metadata: { name: "leaving" } });
  await other.send("DELETE", "/api/v1/namespaces/leaving");
  await waitFor(
    "the namespace to go",
    async () => (await other.send("GET", "/api/v1/namespaces/leaving")).status === 404,
    soon,
  );
});

test("what a plain kube-apiserver of the minor version before has stored is served, without its pods", async () => {
  const dir = path.join(scratch, "step");
  const { "kube-apiserver-1.34": before } = await ensureTools(["kube-apiserver-1.34"]);
  const old = await startControlPlane({
    components: { scheduler: false },
    dir,
    tools: { "kube-apiserver": before.path },
  });
  cleanups.push(() => old.stop());
  const oldAdmin = await adminOf(old, old.endpoint);
  expect(textAt(await oldAdmin.get("/version"), "minor")).toBe("34");
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  const template = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "web", image: "web" }] },
  };
  const spec = { selector: { matchLabels: { app: "web" } }, template };
  const web = await oldAdmin.create(deployments, { metadata: { name: "web" }, spec });
  await oldAdmin.create("/api/v1/namespaces/default/pods", {
    metadata: { name: "alone" },
    spec: template.spec,
  });
  await old.stop();

  const hub = await startControlPlane({ server: "hub-apiserver", dir });
  cleanups.push(() => hub.stop());
  const admin = await adminOf(hub, hub.endpoint);
  const [{ body }, pods] = await Promise.all([
    admin.send("GET", `${deployments}/web`),
    admin.send("GET", "/api/v1/namespaces/default/pods"),
  ]);
  expect(textAt(parseJson(body), "metadata", "uid")).toBe(textAt(web, "metadata", "uid"));
  expect(pods.status).toBe(404);
  await admin.send("DELETE", `${deployments}/web`);
  await waitFor(
    "its ReplicaSets to be collected",
    async () =>
      (await admin.send("GET", "/apis/apps/v1/namespaces/default/replicasets")).body.includes('"items":[]'),
    soon,
  );
});

/** Starts a hub's API server on the etcd of a control plane, beside what that keeps there. */
async function joinEtcd(
  plane: ControlPlane,
  name: string,
): Promise<{ endpoint: string; process: StartedProcess }> {
  const layout = layoutOf(plane.dir);
  const recorded = await readRecord(plane.dir);
  if (recorded === undefined) throw new Error("no record");
  const ports = { ...recorded.ports, apiServer: (await choosePorts()).apiServer };
  const { "hub-apiserver": program } = await ensureTools(["hub-apiserver"]);
  const client = certificateFiles(layout, "apiserver-etcd-client");
  const logs = path.join(scratch, name);
  await mkdir(logs);
  const own = argumentsOf("hub-apiserver", {
    layout: { ...layout, auditLog: path.join(logs, "audit.log") },
    ports,
    name,
    durable: false,
    etcdProgram: "",
  });
  const process_ = await startProcess({
    name,
    command: program.path,
    args: [
      ...own.filter((argument) => !argument.startsWith("--etcd-")),
      `--etcd-servers=https://127.0.0.1:${ports.etcdClient}`,
      `--etcd-cafile=${certificateFiles(layout, "etcd-ca").certificate}`,
      `--etcd-certfile=${client.certificate}`,
      `--etcd-keyfile=${client.key}`,
      "--etcd-prefix=/hub",
    ],
    env: { PATH: process.env.PATH ?? "", HOME: logs },
    logFile: path.join(logs, "server.log"),
    lifetime: "owned",
  });
  cleanups.push(() => stopProcess(name, process_.identity));
  return { endpoint: `https://127.0.0.1:${ports.apiServer}`, process: process_ };
}

async function isReady(admin: ApiClient): Promise<boolean> {
  return (await admin.send("GET", "/readyz").catch(() => undefined))?.status === 200;
}

async function adminOf(plane: ControlPlane, endpoint: string): Promise<ApiClient> {
  const client = new ApiClient({
    endpoint,
    authority: await readFile(plane.caCertificate, "utf8"),
    client: await plane.credentialsFor("root", ["system:masters"]),
  });
  cleanups.push(async () => {
    client.close();
  });
  return client;
}
