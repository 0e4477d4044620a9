import { Replicas, startCoordinatorFixture, type CoordinatorFixture } from "../../test/harness/coordinator";
import { waitFor } from "../../test/harness/fault-proxy";
import type { KubernetesObject, Resource } from "../runtime";
import { CLUSTER_LABELS, NODE_POOL_LABELS, REGISTRIES, ROLE_BINDINGS, ROLES, UPGRADES } from "./kinds";
import { NAMESPACES, NODES, SECRETS, SERVICE_ACCOUNTS } from "./native-resources";

let fixture: CoordinatorFixture;
let replicas: Replicas;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ nodes: 2 });
  replicas = await Replicas.prepare(fixture);
});
afterAll(async () => {
  await replicas.close();
  await fixture.close();
});

const post = (path: string, body: object): Promise<unknown> =>
  fixture.direct.request({ method: "POST", path, body });
const declare = (resource: Resource, name: string, spec: object): Promise<unknown> =>
  post(`/apis/fleetwright.dev/v1/${resource.plural}`, {
    apiVersion: "fleetwright.dev/v1",
    kind: resource.kind,
    metadata: { name },
    spec,
  });
const says = (resource: Resource, name: string, reason: string): Promise<unknown> =>
  waitFor(
    `${resource.kind} ${name} to say ${reason}`,
    async () => {
      const found = await fixture.direct.get<
        KubernetesObject & { status?: { conditions?: { type: string; reason: string }[] } }
      >(resource, { name });
      return found.status?.conditions?.some((one) => one.type === "Ready" && one.reason === reason);
    },
    60_000,
  );
const exists = (resource: Resource, ref: { name: string; namespace?: string }): Promise<boolean> =>
  fixture.direct.get(resource, ref).then(
    () => true,
    () => false,
  );
async function remove(resource: Resource, name: string): Promise<void> {
  await fixture.direct.delete(resource, { name });
  await waitFor(`${resource.kind} ${name} to go`, async () => !(await exists(resource, { name })), 30_000);
}
const setVersion = (node: string, kubeletVersion: string): Promise<unknown> =>
  fixture.direct.patch(
    NODES,
    { name: node },
    { status: { nodeInfo: { kubeletVersion } } },
    { subresource: "status" },
  );

// Each path that writes is taken once: what a role lacks shows only where it is used.
test("with exactly its committed roles every controller makes, heals, tells and clears away, and nothing is ever forbidden", async () => {
  const one = replicas.start("one");
  await replicas.leads("one");
  replicas.start("two");
  const namespace = await fixture.namespace();
  const login = { namespace: fixture.home, name: "login" };

  // Service accounts: made, healed, opted out of, and told of where somebody else made one.
  const account = { namespace, name: "fleetwright" };
  await waitFor("the account", () => exists(SERVICE_ACCOUNTS, account));
  await fixture.direct.patch(SERVICE_ACCOUNTS, account, { metadata: { ownerReferences: null } });
  await waitFor("its owner to be back", async () =>
    Boolean((await fixture.direct.get(SERVICE_ACCOUNTS, account)).metadata.ownerReferences?.length),
  );

  // Registries: told of what is missing by an event, spread, on the default account, healed, removed.
  await declare(REGISTRIES, "main", {
    provider: "basic",
    endpoint: "registry.example.com",
    credentials: { name: "login" },
    serviceAccounts: ["fleetwright", "default"],
  });
  await says(REGISTRIES, "main", "SecretMissing");
  await waitFor("the event", async () => {
    const { items } = await fixture.direct.request<{
      items: { reason: string; regarding: { name: string } }[];
    }>({
      method: "GET",
      path: "/apis/events.k8s.io/v1/namespaces/default/events",
    });
    return items.some(({ reason, regarding }) => reason === "SecretMissing" && regarding.name === "main");
  });
  await fixture.direct.create(SECRETS, { metadata: login, data: { username: "YQ==", password: "Yg==" } });
  await says(REGISTRIES, "main", "InPlace");
  const copy = { namespace, name: "fleetwright-registry-main" };
  await fixture.direct.patch(SECRETS, copy, { data: { ".dockerconfigjson": "e30=" } });
  await waitFor(
    "the copy to be healed",
    async () => (await fixture.direct.get(SECRETS, copy)).data?.[".dockerconfigjson"] !== "e30=",
  );

  // Labels of both kinds.
  const [node = "", other = ""] = await nodeNames();
  await fixture.direct.patch(
    NODES,
    { name: node },
    { metadata: { labels: { "fleetwright.dev/node-pool": "p" } } },
  );
  await declare(CLUSTER_LABELS, "env", { key: "env", value: "dev" });
  await declare(NODE_POOL_LABELS, "disk", { pool: "p", key: "disk", value: "ssd" });
  await says(CLUSTER_LABELS, "env", "Labelled");
  await says(NODE_POOL_LABELS, "disk", "Labelled");

  // Authorization: a role that the coordinator does not have itself, bound in a namespace and everywhere, and changed.
  const rules = (...verbs: string[]): object => ({
    rules: [{ apiGroups: ["storage.k8s.io"], resources: ["storageclasses"], verbs }],
  });
  await declare(ROLES, "reader", rules("get"));
  await declare(ROLE_BINDINGS, "ada", { role: "reader", user: "ada", namespace });
  await declare(ROLE_BINDINGS, "team", { role: "reader", team: "sre" });
  await Promise.all([
    says(ROLES, "reader", "InPlace"),
    says(ROLE_BINDINGS, "ada", "InPlace"),
    says(ROLE_BINDINGS, "team", "InPlace"),
  ]);
  await fixture.direct.patch(ROLES, { name: "reader" }, { spec: rules("get", "list") });
  await waitFor("the verbs to reach the ClusterRole", async () => {
    const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/fleetwright:reader";
    const found = await fixture.direct.request<{ rules: { verbs: string[] }[] }>({ method: "GET", path });
    return found.rules[0]?.verbs.includes("list");
  });

  // An upgrade with a pod to evict, a list of snapshots to read and budgets to look at.
  await post("/api/v1/namespaces/kube-system/configmaps", {
    metadata: { name: "rke2-etcd-snapshots" },
    data: { one: JSON.stringify({ createdAt: new Date().toISOString(), status: "successful" }) },
  });
  await post(`/api/v1/namespaces/${namespace}/pods`, {
    metadata: { name: "guest" },
    spec: { nodeName: node, containers: [{ name: "c", image: "example.com/x:1" }] },
  });
  for (const name of [node, other]) await setVersion(name, "v1.34.1+rke2r1");
  await declare(UPGRADES, "up", {
    version: "v1.35.4+rke2r1",
    digest: `sha256:${"0".repeat(64)}`,
    nodeSelector: { matchLabels: { "kubernetes.io/hostname": node } },
    drain: { graceSeconds: 0, evictUnmanaged: true },
    preflight: { skip: ["VersionSkew", "Agents"] },
  });
  await waitFor(
    "the hand-over",
    async () =>
      (await fixture.direct.get(UPGRADES, { name: "up" })).status?.nodes?.[0]?.phase === "Upgrading",
    60_000,
  );
  const { items: pods } = await fixture.direct.request<{ items: unknown[] }>({
    method: "GET",
    path: `/api/v1/namespaces/${namespace}/pods`,
  });
  expect(pods).toEqual([]);
  await setVersion(node, "v1.35.4+rke2r1");
  await says(UPGRADES, "up", "Succeeded");
  expect((await fixture.direct.get(NODES, { name: node })).spec?.unschedulable).toBeUndefined();

  await fixture.direct.patch(
    NAMESPACES,
    { name: namespace },
    { metadata: { labels: { "fleetwright.dev/service-account": "disabled" } } },
  );
  await waitFor("the account to go", async () => !(await exists(SERVICE_ACCOUNTS, account)));
  await fixture.direct.create(SERVICE_ACCOUNTS, { metadata: account });
  await fixture.direct.patch(
    NAMESPACES,
    { name: namespace },
    { metadata: { labels: { "fleetwright.dev/service-account": null } } },
  );
  await waitFor("the warning", () =>
    one.lines.some((line) => line.includes("is not managed by Fleetwright")),
  );
  for (const [resource, name] of [
    [REGISTRIES, "main"],
    [CLUSTER_LABELS, "env"],
    [NODE_POOL_LABELS, "disk"],
    [ROLE_BINDINGS, "ada"],
    [ROLE_BINDINGS, "team"],
    [ROLES, "reader"],
    [UPGRADES, "up"],
  ] as [Resource, string][])
    await remove(resource, name);
  expect(one.lines.filter((line) => /[Ff]orbidden|403/.test(line))).toEqual([]);
});

test("when the leader is killed the other takes over, and ends in order when asked", async () => {
  const [one, two] = replicas.all;
  one?.child.kill("SIGKILL");
  await replicas.leads("two");
  await declare(CLUSTER_LABELS, "after", { key: "after", value: "x" });
  await says(CLUSTER_LABELS, "after", "Labelled");
  two?.child.kill("SIGTERM");
  expect(await two?.exit()).toBe(0);
  expect(await replicas.leader()).toBe("");
});

test("it dies at a failpoint as told, and says what is wrong with its flags", async () => {
  await fixture.direct.delete(CLUSTER_LABELS, { name: "after" });
  const dying = replicas.start("three", ["--failpoint=write=1", "--controllers=labels"]);
  expect(await dying.exit()).toBe("SIGKILL");
  const wrong = replicas.start("four", ["--qps=many"]);
  expect(await wrong.exit()).toBe(2);
  await waitFor("its words", () => wrong.lines.length > 1);
  expect(wrong.lines).toContain('  --qps is "many": give a whole number from 1 to 1000000');
});

async function nodeNames(): Promise<string[]> {
  const { items } = await fixture.direct.request<{ items: KubernetesObject[] }>({
    method: "GET",
    path: "/api/v1/nodes",
  });
  return items.map(({ metadata }) => metadata.name);
}
