import {
  AgentStandIn,
  makeControlPlanePods,
  quiet,
  SERVER_LABELS,
  startCoordinatorFixture,
  WITHOUT_UPGRADE,
  writesWithin,
  type CoordinatorFixture,
  type Running,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { Informer, type KubernetesObject, type Resource } from "../../runtime";
import { UPGRADES, type UpgradeObject } from "../kinds";
import { NODES } from "../native-resources";
import { isControlPlane, kubeletVersion } from "./versions";

const [FROM, TO] = ["v1.34.1+rke2r1", "v1.35.4+rke2r1"];
const DIGEST = `sha256:${"0".repeat(64)}`;
const PODS: Resource = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };
let fixture: CoordinatorFixture;
let running: Running | undefined;
let agent: AgentStandIn;
let names: string[];

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ nodes: 4 });
  names = (await listNodes()).map(({ metadata }) => metadata.name);
  const [first = ""] = names;
  await fixture.direct.patch(NODES, { name: first }, { metadata: { labels: SERVER_LABELS } });
});
afterAll(() => fixture.close());
beforeEach(async () => {
  agent = new AgentStandIn(fixture.direct);
  const [server = ""] = names;
  agent.servers.add(server);
  await makeControlPlanePods(fixture.direct, server, FROM);
  for (const name of names) {
    await fixture.direct.patch(
      NODES,
      { name },
      { status: { nodeInfo: { kubeletVersion: FROM } } },
      { subresource: "status" },
    );
    await fixture.direct.patch(NODES, { name }, WITHOUT_UPGRADE);
  }
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await agent.stop();
  const { items } = await fixture.direct.request<{ items: UpgradeObject[] }>({
    method: "GET",
    path: "/apis/fleetwright.dev/v1/clusterupgrades",
  });
  for (const { metadata } of items) {
    await fixture.direct.patch(UPGRADES, metadata, { metadata: { finalizers: null } });
    await fixture.direct.delete(UPGRADES, metadata).catch(() => {});
  }
  await fixture.direct.request({
    method: "DELETE",
    path: "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
  });
  await fixture.direct.request({ method: "DELETE", path: "/apis/apps/v1/namespaces/default/deployments" });
});

async function listNodes(): Promise<
  Awaited<ReturnType<typeof fixture.direct.get<typeof NODES extends Resource<infer T> ? T : never>>>[]
> {
  const { items } = await fixture.direct.request<{ items: never[] }>({
    method: "GET",
    path: "/api/v1/nodes",
  });
  return items;
}
async function begin(name: string, spec: object = {}): Promise<void> {
  const drain = { timeoutSeconds: 20, graceSeconds: 0 };
  await fixture.direct.request({
    method: "POST",
    path: "/apis/fleetwright.dev/v1/clusterupgrades",
    body: {
      apiVersion: "fleetwright.dev/v1",
      kind: "ClusterUpgrade",
      metadata: { name },
      spec: {
        version: TO,
        nodeTimeoutSeconds: 60,
        drain,
        digest: DIGEST,
        preflight: { skip: ["EtcdSnapshot", "Agents"] },
        ...spec,
      },
    },
  });
}
const start = async (): Promise<Running> => (running = await fixture.start({ controllers: "upgrades" }));
const get = (name: string): Promise<UpgradeObject> => fixture.direct.get(UPGRADES, { name });
const reaches = (name: string, phase: string): Promise<unknown> =>
  waitFor(`${name} to be ${phase}`, async () => (await get(name)).status?.phase === phase, 50_000).catch(
    async () => {
      throw new Error(`${name} is not ${phase}: ${JSON.stringify((await get(name)).status)}`);
    },
  );
const cordoned = async (): Promise<string[]> =>
  (await listNodes()).filter(({ spec }) => spec?.unschedulable === true).map(({ metadata }) => metadata.name);
async function deploy(name: string, replicas: number, minAvailable?: number): Promise<void> {
  const selector = { matchLabels: { app: name } };
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: "c", image: "example.com/x:1" }] },
  };
  await fixture.direct.request({
    method: "POST",
    path: "/apis/apps/v1/namespaces/default/deployments",
    body: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name },
      spec: { replicas, selector, template },
    },
  });
  if (minAvailable !== undefined)
    await fixture.direct.request({
      method: "POST",
      path: "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
      body: {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name },
        spec: { selector, minAvailable },
      },
    });
  await waitFor(`the pods of ${name}`, async () => {
    const { items } = await fixture.direct.request<{ items: { status?: { phase?: string } }[] }>({
      method: "GET",
      path: `/api/v1/namespaces/default/pods?labelSelector=app%3D${name}`,
    });
    return items.filter(({ status }) => status?.phase === "Running").length === replicas;
  });
}

test("every node is upgraded, the control plane first, one at a time, and none stays cordoned", async () => {
  await deploy("web", 4, 2);
  await waitFor("the budget", async () => {
    const { items } = await fixture.direct.request<{ items: { status?: { disruptionsAllowed?: number } }[] }>(
      {
        method: "GET",
        path: "/apis/policy/v1/poddisruptionbudgets",
      },
    );
    return items[0]?.status?.disruptionsAllowed === 2;
  });
  let most = 0;
  let fewest = 99;
  const end = new AbortController();
  const observed = new Informer(fixture.direct, NODES);
  observed.onChange(
    () => (most = Math.max(most, observed.list().filter(({ spec }) => spec?.unschedulable === true).length)),
  );
  const pods = new Informer<KubernetesObject & { status?: { phase?: string } }>(fixture.direct, PODS, {
    namespace: "default",
  });
  pods.onChange(() => {
    const up = pods
      .list()
      .filter(
        ({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase === "Running",
      ).length;
    if (pods.hasSynced) fewest = Math.min(fewest, up);
  });
  const runs = [observed.run(end.signal), pods.run(end.signal)];
  await pods.synced();
  await begin("up");
  const one = await start();
  await reaches("up", "Succeeded");
  end.abort();
  await Promise.all(runs);
  const nodes = await listNodes();
  expect(nodes.map(kubeletVersion)).toEqual(names.map(() => TO));
  expect(agent.upgraded).toHaveLength(4);
  const first = nodes.find(({ metadata }) => metadata.name === agent.upgraded[0]);
  expect(first !== undefined && isControlPlane(first)).toBe(true);
  expect(await cordoned()).toEqual([]);
  expect(most).toBe(1);
  expect(fewest).toBeGreaterThanOrEqual(2);
  const { status } = await get("up");
  expect(status).toMatchObject({ total: 4, done: 4, failed: 0 });
  expect(status?.nodes).toEqual([]);
  await quiet(one);
  expect(await writesWithin(one, 2000)).toEqual([]);
});

test("a budget that allows nothing stops preflight, and a drain that it blocks ends at its time, named, with the node uncordoned", async () => {
  await deploy("tight", 2, 2);
  await waitFor("the budget", async () => {
    const { items } = await fixture.direct.request<{ items: { status?: { expectedPods?: number } }[] }>({
      method: "GET",
      path: "/apis/policy/v1/poddisruptionbudgets",
    });
    return items[0]?.status?.expectedPods === 2;
  });
  await begin("blocked");
  await start();
  await reaches("blocked", "Preflight");
  expect((await get("blocked")).status?.conditions?.[0]?.message).toContain("default/tight");
  await fixture.direct.patch(UPGRADES, { name: "blocked" }, { spec: { aborted: true } });
  await reaches("blocked", "Aborted");
  const { items } = await fixture.direct.request<{ items: { spec: { nodeName: string } }[] }>({
    method: "GET",
    path: "/api/v1/namespaces/default/pods?labelSelector=app%3Dtight",
  });
  const host = items[0]?.spec.nodeName ?? "";
  await begin("timeout", {
    nodeSelector: { matchLabels: { "kubernetes.io/hostname": host } },
    preflight: { skip: ["EtcdSnapshot", "Agents", "PodDisruptionBudgets", "VersionSkew"] },
    drain: { timeoutSeconds: 3, graceSeconds: 0 },
  });
  await reaches("timeout", "Failed");
  const [entry] = (await get("timeout")).status?.nodes ?? [];
  expect(entry).toMatchObject({
    phase: "Failed",
    reason: "DrainTimeout",
    message: expect.stringMatching(/default\/tight-.*disruption budget tight/) as string,
  });
  expect(await cordoned()).toEqual([]);
});

test("an installer that fails stops the upgrade, with its words in status; others wait their turn", async () => {
  const [, second = ""] = names;
  agent.broken.add(second);
  await begin("bad");
  await begin("next", { nodeSelector: { matchLabels: { "kubernetes.io/hostname": names[3] ?? "" } } });
  await start();
  await reaches("bad", "Failed");
  const nodes = (await get("bad")).status?.nodes ?? [];
  expect(nodes.find(({ name }) => name === second)).toMatchObject({
    phase: "Failed",
    reason: "InstallerFailed",
    exitCode: 1,
    output: "no space left",
  });
  // The server was done before; the two after it were not begun.
  expect(nodes).toHaveLength(1);
  expect((await get("bad")).status).toMatchObject({ total: 4, done: 1, failed: 1 });
  await reaches("next", "Succeeded");
  expect(await cordoned()).toEqual([]);
});

test("it is held between two nodes and goes on; a node that somebody else cordoned stays so", async () => {
  const last = names[3] ?? "";
  await fixture.direct.patch(NODES, { name: last }, { spec: { unschedulable: true } });
  await begin("held", { paused: true });
  await start();
  await reaches("held", "Paused");
  expect(agent.upgraded).toEqual([]);
  await fixture.direct.patch(UPGRADES, { name: "held" }, { spec: { paused: false } });
  await reaches("held", "Succeeded");
  expect(await cordoned()).toEqual([last]);
});

test("a node that goes during the upgrade is counted, and an upgrade that is deleted brings its node back", async () => {
  const [, , , last = ""] = names;
  const extra = (await fixture.plane.addNodes(1, { prefix: "extra-" }))[0] ?? "";
  await fixture.direct.patch(
    NODES,
    { name: extra },
    { status: { nodeInfo: { kubeletVersion: FROM } } },
    { subresource: "status" },
  );
  agent.stuck.add(last);
  agent.stuck.add(extra);
  await begin("gone", {
    nodeSelector: {
      matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [extra, last] }],
    },
    maxUnavailable: 2,
    preflight: { skip: ["EtcdSnapshot", "Agents", "VersionSkew"] },
  });
  await start();
  await waitFor(
    "both to be with the agent",
    async () => (await get("gone")).status?.nodes?.filter(({ phase }) => phase === "Upgrading").length === 2,
  );
  expect((await cordoned()).sort()).toEqual([extra, last].sort());
  await fixture.direct.delete(NODES, { name: extra });
  await waitFor("it to be skipped", async () =>
    (await get("gone")).status?.nodes?.some(({ name, phase }) => name === extra && phase === "Skipped"),
  );
  await fixture.direct.patch(UPGRADES, { name: "gone" }, { metadata: { finalizers: null } });
  await fixture.direct.delete(UPGRADES, { name: "gone" });
  await waitFor("the node to be uncordoned", async () => (await cordoned()).length === 0);
});

test("whenever it dies, the next one finishes: each node is upgraded once and none stays cordoned", async () => {
  const hostname = names[2] ?? "";
  const spec = {
    nodeSelector: { matchLabels: { "kubernetes.io/hostname": hostname } },
    preflight: { skip: ["EtcdSnapshot", "Agents", "VersionSkew"] },
  };
  await deploy("crash", 4);
  for (let write = 1; ; write++) {
    await fixture.direct.patch(
      NODES,
      { name: hostname },
      { status: { nodeInfo: { kubeletVersion: FROM } } },
      { subresource: "status" },
    );
    await begin(`crash-${write}`, spec);
    const fate = { dead: false };
    const first = await fixture.start({
      controllers: "upgrades",
      failpoint: {
        write,
        die: () => {
          fate.dead = true;
          throw new Error("died at the failpoint");
        },
      },
    });
    await waitFor(
      "death or success",
      async () => fate.dead || (await get(`crash-${write}`)).status?.phase === "Succeeded",
      40_000,
    );
    await first.stop();
    const second = await fixture.start({ controllers: "upgrades" });
    await reaches(`crash-${write}`, "Succeeded");
    await waitFor("no cordon", async () => (await cordoned()).length === 0);
    await second.stop();
    if (!fate.dead) {
      expect(write).toBeGreaterThan(7);
      break;
    }
  }
  expect(agent.upgraded.every((name) => name === hostname)).toBe(true);
}, 300_000);
