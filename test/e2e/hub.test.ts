// The hub's component, declared in a cluster by the real engine, and its server run as the pod would run it.
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { ApiClient, kubeconfigCredentials, Metrics } from "../../controllers/runtime";
import { waitFor } from "../../lib/deadline";
import { at, textAt } from "../../lib/json";
import { startProcess, stopProcess } from "../../lib/process";
import { installProviders } from "../../sandbox/providers";
import { choosePorts } from "../../sandbox/controlplane/ports";
import { ensureTools } from "../../sandbox/toolchain";
import { sharedKubeconfig } from "../harness/controlplane";
import { Engine } from "../harness/engine";
import { layKubernetesProvider } from "../harness/stack-program";

jest.setTimeout(600_000);

const ROOT = path.join(__dirname, "../..");
const NAMESPACE = `hub-test-${process.pid}`;
const IMAGE = `registry.test/hub-apiserver@sha256:${"d".repeat(64)}`;

const PROGRAM = `import { Provider } from "@pulumi/kubernetes";
import { Hub } from ${JSON.stringify(path.join(ROOT, "components/hub"))};

const provider = new Provider("cluster", { kubeconfig: process.env.KUBECONFIG_OF_THE_CLUSTER! });
const hub = new Hub(
  "hub",
  {
    image: ${JSON.stringify(IMAGE)},
    namespace: ${JSON.stringify(NAMESPACE)},
    endpoint: "https://localhost:" + process.env.PORT_OF_THE_HUB,
    volume: { storageClass: ${JSON.stringify(NAMESPACE)} },
    retain: false,
  },
  { providers: [provider] },
);
export const kubeconfig = hub.kubeconfig;
`;

let engine: Engine;
let folder: string;
let environment: Record<string, string>;
let cluster: ApiClient;
let port: number;

beforeAll(async () => {
  engine = await Engine.open();
  await installProviders(engine.home, ["aws", "command", "tls"]);
  await layKubernetesProvider(engine.home);
  folder = engine.path("hub");
  mkdirSync(folder);
  for (const file of ["run.js", "tsconfig.json", "package.json"])
    cpSync(path.join(ROOT, file), path.join(folder, file));
  symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  writeFileSync(path.join(folder, "index.ts"), PROGRAM);
  writeFileSync(
    path.join(folder, "Pulumi.yaml"),
    "name: hub\nmain: run.js\nruntime: { name: nodejs, options: { typescript: false } }\n",
  );
  port = (await choosePorts()).apiServer;
  environment = {
    KUBECONFIG_OF_THE_CLUSTER: await readFile(sharedKubeconfig(), "utf8"),
    PORT_OF_THE_HUB: String(port),
  };
  cluster = new ApiClient(kubeconfigCredentials(sharedKubeconfig()), { metrics: new Metrics() });
  // The control plane has no provisioner: the volume is there already, as a cloud's would be after a while.
  await cluster.request({
    method: "POST",
    path: "/api/v1/persistentvolumes",
    body: {
      metadata: { name: NAMESPACE },
      spec: {
        capacity: { storage: "20Gi" },
        accessModes: ["ReadWriteOncePod"],
        storageClassName: NAMESPACE,
        hostPath: { path: "/nowhere" },
      },
    },
  });
  await engine.expect(["stack", "init", "test"], folder);
});

afterAll(async () => {
  await engine.expect(["destroy", "--yes", "--skip-preview"], folder, environment);
  await cluster.request({ method: "DELETE", path: `/api/v1/persistentvolumes/${NAMESPACE}` });
  await engine.close();
});

test("is accepted by a cluster that enforces the restricted standard, and changes nothing when declared again", async () => {
  await engine.expect(["up", "--yes", "--skip-preview"], folder, environment);
  const deployment = await read(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/fleetwright-hub`);
  expect(at(deployment, "status", "readyReplicas")).toBe(1);
  const again = await engine.expect(["up", "--yes", "--skip-preview"], folder, environment);
  expect(again).not.toMatch(/\b(created|updated|replaced|deleted)\b/);
});

test("the server runs with exactly the flags and files of its pod, and the stack's kubeconfig is good for it", async () => {
  const deployment = await read(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/fleetwright-hub`);
  const container = at(deployment, "spec", "template", "spec", "containers", 0);
  const root = engine.path("pod");
  const files = async (kind: string, name: string, key: string, decode: BufferEncoding): Promise<void> => {
    const folderOf = path.join(root, key === "data" && kind === "secrets" ? "keys" : "configuration");
    mkdirSync(folderOf, { recursive: true });
    const object = await read(`/api/v1/namespaces/${NAMESPACE}/${kind}/${name}`);
    for (const [file, text] of Object.entries(at(object, key) as Record<string, string>))
      writeFileSync(path.join(folderOf, file), Buffer.from(text, decode), { mode: 0o600 });
  };
  await files("secrets", "fleetwright-hub-keys", "data", "base64");
  await files("configmaps", "fleetwright-hub-configuration", "data", "utf8");
  const { etcd, "hub-apiserver": program } = await ensureTools(["etcd", "hub-apiserver"]);
  const flags = (at(container, "args") as string[]).map((flag) =>
    flag
      .replace(/^--secure-port=.*/, `--secure-port=${port}`)
      .replace("=/etc/hub/keys/", `=${root}/keys/`)
      .replace("=/etc/hub/configuration/", `=${root}/configuration/`)
      .replace("=/var/lib/hub/", `=${root}/state/`),
  );
  expect(flags.join(" ")).not.toMatch(/=\/(etc|var)\//);
  const server = await startProcess({
    name: "hub",
    command: program.path,
    args: [...flags, "--bind-address=127.0.0.1"],
    env: { PATH: `${path.dirname(etcd.path)}:/usr/bin:/bin`, HOME: root },
    logFile: path.join(root, "server.log"),
    lifetime: "owned",
  });
  try {
    const kubeconfig = path.join(root, "kubeconfig");
    const text = await engine.expect(
      ["stack", "output", "kubeconfig", "--show-secrets"],
      folder,
      environment,
    );
    writeFileSync(kubeconfig, text, { mode: 0o600 });
    const hub = new ApiClient(kubeconfigCredentials(kubeconfig), { metrics: new Metrics() });
    await waitFor(
      "the hub to be ready",
      async () => {
        await hub.text({ method: "GET", path: "/readyz" });
        return true;
      },
      { timeoutMs: 60_000 },
    );
    await hub.request({
      method: "POST",
      path: "/api/v1/namespaces/default/configmaps",
      body: { metadata: { name: "stored" } },
    });
    const log = await readFile(path.join(root, "server.log"), "utf8");
    const written = log
      .split("\n")
      .find((line) => line.includes('"kind":"Event"') && line.includes('"stored"'));
    expect(textAt(JSON.parse(written ?? "{}"), "user", "username")).toBe("fleetwright-hub-admin");
  } finally {
    await stopProcess("hub", server.identity);
  }
});

async function read(from: string): Promise<unknown> {
  const answer: unknown = await cluster.request({ method: "GET", path: from });
  return answer;
}
