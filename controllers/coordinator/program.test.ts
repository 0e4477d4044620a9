import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadAll } from "js-yaml";
import { startWorld, type CoordinatorWorld } from "../../test/coordinator";
import { waitFor } from "../../test/fault-proxy";
import { LEASES, type KubernetesObject, type Resource } from "../runtime";
import { bundleCoordinator } from "./bundle";
import { CLUSTER_LABELS, REGISTRIES, ROLES, UPGRADES } from "./kinds";
import { NODES, SECRETS, SERVICE_ACCOUNTS } from "./native";
import type { Role } from "../program/rules";

const USER = "system:serviceaccount:fleetwright-system:fleetwright-coordinator";
let world: CoordinatorWorld;
let dir: string;
let kubeconfig: string;
const processes: Replica[] = [];

interface Replica {
  child: ChildProcess;
  lines: string[];
}

function replica(identity: string, ...flags: string[]): Replica {
  const bundle = path.join(dir, "coordinator.js");
  const args = [
    bundle,
    "--kubeconfig",
    kubeconfig,
    "--identity",
    identity,
    "--port=0",
    "--host=127.0.0.1",
    ...flags,
  ];
  const child = spawn(process.execPath, args, { env: {}, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) =>
      lines.push(
        ...chunk
          .toString()
          .split("\n")
          .filter((line) => line !== ""),
      ),
    );
  const one = { child, lines };
  processes.push(one);
  return one;
}

/** Gives the user exactly the committed roles, and nothing else. */
async function grant(): Promise<void> {
  const documents = loadAll(await readFile(path.join(__dirname, "role.yaml"), "utf8")) as Role[];
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  for (const role of documents) {
    const { name, namespace } = role.metadata;
    const scope = namespace === undefined ? rbac : `${rbac}/namespaces/${namespace}`;
    const plural = role.kind === "ClusterRole" ? "clusterroles" : "roles";
    await world.direct.request({ method: "POST", path: `${scope}/${plural}`, body: role });
    const binding = {
      apiVersion: role.apiVersion,
      kind: `${role.kind}Binding`,
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: role.kind, name },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: USER }],
    };
    await world.direct.request({
      method: "POST",
      path: `${scope}/${plural.replace(/s$/, "bindings")}`,
      body: binding,
    });
  }
}

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "fleetwright-coordinator-"));
  [world] = await Promise.all([
    startWorld({ nodes: 1 }),
    bundleCoordinator(path.join(dir, "coordinator.js")),
  ]);
  await grant();
  kubeconfig = await world.plane.kubeconfigFor(USER);
}, 240_000);
afterAll(async () => {
  for (const { child } of processes) child.kill("SIGKILL");
  await world.close();
  await rm(dir, { recursive: true });
});

const post = (resource: Resource, name: string, spec: object): Promise<unknown> =>
  world.direct.request({
    method: "POST",
    path: `/apis/fleetwright.dev/v1/${resource.plural}`,
    body: { apiVersion: "fleetwright.dev/v1", kind: resource.kind, metadata: { name }, spec },
  });
const ready = (resource: Resource, name: string): Promise<unknown> =>
  waitFor(
    `${resource.kind} ${name} to be ready`,
    async () => {
      const found = await world.direct.get<
        KubernetesObject & { status?: { conditions?: { type: string; status: string }[] } }
      >(resource, { name });
      return found.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
    },
    45_000,
  );
const leader = async (): Promise<string> =>
  (
    await world.direct
      .get(LEASES, { namespace: world.home, name: "fleetwright-coordinator" })
      .catch(() => undefined)
  )?.spec?.holderIdentity ?? "";

test("with exactly its committed roles every controller works, and nothing is ever forbidden", async () => {
  const one = replica("one");
  await waitFor("a leader", async () => (await leader()).startsWith("one"), 45_000).catch(() => {
    throw new Error(`No leader: ${one.lines.join("\n")}`);
  });
  replica("two");
  await world.direct.create(SECRETS, {
    metadata: { namespace: world.home, name: "login" },
    data: { username: "YQ==", password: "Yg==" },
  });
  await post(REGISTRIES, "main", {
    provider: "basic",
    endpoint: "registry.example.com",
    credentials: { name: "login" },
  });
  await post(CLUSTER_LABELS, "env", { key: "env", value: "dev" });
  await post(ROLES, "reader", {
    rules: [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] }],
  });
  await world.direct.request({
    method: "POST",
    path: "/apis/fleetwright.dev/v1/authorizationrolebindings",
    body: {
      apiVersion: "fleetwright.dev/v1",
      kind: "AuthorizationRoleBinding",
      metadata: { name: "ada" },
      spec: { role: "reader", user: "ada", namespace: "default" },
    },
  });
  await Promise.all([ready(REGISTRIES, "main"), ready(CLUSTER_LABELS, "env"), ready(ROLES, "reader")]);
  await waitFor("the account", () =>
    world.direct.get(SERVICE_ACCOUNTS, { namespace: "default", name: "fleetwright" }).catch(() => undefined),
  );
  const { items } = await world.direct.request<{ items: KubernetesObject[] }>({
    method: "GET",
    path: "/api/v1/nodes",
  });
  const node = items[0]?.metadata.name ?? "";
  await world.direct.patch(
    NODES,
    { name: node },
    { status: { nodeInfo: { kubeletVersion: "v1.34.1" } } },
    { subresource: "status" },
  );
  await post(UPGRADES, "up", {
    version: "v1.35.4+rke2r1",
    drain: { graceSeconds: 0 },
    preflight: { skip: ["EtcdSnapshot", "VersionSkew"] },
  });
  await waitFor(
    "the hand-over",
    async () => (await world.direct.get(UPGRADES, { name: "up" })).status?.nodes?.[0]?.phase === "Upgrading",
    45_000,
  );
  await world.direct.patch(
    NODES,
    { name: node },
    { status: { nodeInfo: { kubeletVersion: "v1.35.4+rke2r1" } } },
    { subresource: "status" },
  );
  await ready(UPGRADES, "up");
  for (const [resource, name] of [
    [REGISTRIES, "main"],
    [CLUSTER_LABELS, "env"],
    [UPGRADES, "up"],
  ] as [Resource, string][]) {
    await world.direct.delete(resource, { name });
    await waitFor(`${name} to go`, () =>
      world.direct.get(resource, { name }).then(
        () => false,
        () => true,
      ),
    );
  }
  expect(one.lines.filter((line) => /[Ff]orbidden|403/.test(line))).toEqual([]);
}, 200_000);

test("when the leader is killed the other takes over, and ends in order when asked", async () => {
  const [one, two] = processes;
  one?.child.kill("SIGKILL");
  await waitFor("the other to lead", async () => (await leader()).startsWith("two"), 45_000);
  await post(CLUSTER_LABELS, "after", { key: "after", value: "x" });
  await ready(CLUSTER_LABELS, "after");
  const exit = new Promise<number | null>((resolve) => two?.child.once("exit", resolve));
  two?.child.kill("SIGTERM");
  expect(await exit).toBe(0);
  expect(await leader()).toBe("");
}, 120_000);

test("it dies at a failpoint as told, and says what is wrong with its flags", async () => {
  await world.direct.delete(CLUSTER_LABELS, { name: "after" });
  const dying = replica("three", "--failpoint=write=1", "--controllers=labels");
  const signal = await new Promise<string | null>((resolve) =>
    dying.child.once("exit", (_code, by) => resolve(by)),
  );
  expect(signal).toBe("SIGKILL");
  const wrong = replica("four", "--qps=many");
  expect(await new Promise<number | null>((resolve) => wrong.child.once("exit", resolve))).toBe(2);
  expect(wrong.lines).toContain('  --qps is "many": give a whole number from 1 to 1000000');
}, 120_000);
