import {
  AgentStandIn,
  startCoordinatorFixture,
  type CoordinatorFixture,
  type Running,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { type KubernetesObject, type Resource } from "../../runtime";
import { UPGRADES, type UpgradeObject } from "../kinds";
import { NODES } from "../native-resources";

// Nobody plays the kubelets here: evicted pods stay until the test takes them away, and nodes are as ready
// as the test says.

const [FROM, TO] = ["v1.34.1+rke2r1", "v1.35.4+rke2r1"];
const DIGEST = `sha256:${"0".repeat(64)}`;
const PODS: Resource = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };
let fixture: CoordinatorFixture;
let running: Running | undefined;
let agent: AgentStandIn;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
  await fixture.direct.request({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts",
    body: { metadata: { name: "default" } },
  });
});
afterAll(() => fixture.close());
beforeEach(async () => {
  agent = new AgentStandIn(fixture.direct);
  running = await fixture.start({ controllers: "upgrades" });
});
afterEach(async () => {
  await running?.stop();
  await agent.stop();
  for (const path of [
    "/api/v1/nodes",
    "/api/v1/namespaces/default/pods?gracePeriodSeconds=0",
    "/apis/fleetwright.dev/v1/clusterupgrades",
  ])
    await fixture.direct.request({ method: "DELETE", path });
  const { items } = await fixture.direct.request<{ items: UpgradeObject[] }>({
    method: "GET",
    path: "/apis/fleetwright.dev/v1/clusterupgrades",
  });
  for (const { metadata } of items)
    await fixture.direct.patch(UPGRADES, metadata, { metadata: { finalizers: null } }).catch(() => {});
});

async function node(name: string, labels: Record<string, string> = {}): Promise<void> {
  await fixture.direct.create(NODES, {
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
  });
  await setReady(name, true);
}
const setReady = (name: string, ready: boolean): Promise<unknown> =>
  fixture.direct.patch(
    NODES,
    { name },
    {
      status: {
        conditions: [{ type: "Ready", status: ready ? "True" : "False", reason: "Test" }],
        nodeInfo: { kubeletVersion: FROM },
      },
    },
    { subresource: "status" },
  );
async function pod(name: string, nodeName: string, metadata: object = {}): Promise<void> {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "x", uid: "1", controller: true };
  await fixture.direct.request({
    method: "POST",
    path: "/api/v1/namespaces/default/pods",
    body: {
      metadata: { name, ownerReferences: [owner], ...metadata },
      spec: { nodeName, containers: [{ name: "c", image: "example.com/x:1" }] },
    },
  });
}
async function begin(name: string, spec: object = {}): Promise<void> {
  await fixture.direct.request({
    method: "POST",
    path: "/apis/fleetwright.dev/v1/clusterupgrades",
    body: {
      apiVersion: "fleetwright.dev/v1",
      kind: "ClusterUpgrade",
      metadata: { name },
      spec: {
        version: TO,
        digest: DIGEST,
        nodeTimeoutSeconds: 900,
        preflight: { skip: ["VersionSkew", "Agents"] },
        ...spec,
      },
    },
  });
}
const get = (name: string): Promise<UpgradeObject> => fixture.direct.get(UPGRADES, { name });
const reaches = (name: string, what: (upgrade: UpgradeObject) => boolean | undefined): Promise<unknown> =>
  waitFor(`${name} to get there`, async () => what(await get(name)), 60_000).catch(async () => {
    throw new Error(`${name} did not get there: ${JSON.stringify((await get(name)).status)}`);
  });
const isPhase =
  (phase: string) =>
  ({ status }: UpgradeObject): boolean =>
    status?.phase === phase;
const phaseOf = ({ status }: UpgradeObject, name: string): string | undefined =>
  status?.nodes?.find((entry) => entry.name === name)?.phase;
const livePods = async (): Promise<string[]> => {
  const { items } = await fixture.direct.request<{ items: KubernetesObject[] }>({
    method: "GET",
    path: "/api/v1/namespaces/default/pods",
  });
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
    .sort();
};
const isCordoned = async (name: string): Promise<boolean> =>
  (await fixture.direct.get(NODES, { name })).spec?.unschedulable === true;

test("row 14: a pod that does not end and one that a finalizer holds are named, and at its time the node is given up and brought back", async () => {
  await node("a");
  await pod("stubborn", "a");
  await pod("held", "a", { finalizers: ["example.com/keep"] });
  await pod("of-daemons", "a", {
    ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "d", uid: "2", controller: true }],
  });
  await pod("static", "a", { ownerReferences: [], annotations: { "kubernetes.io/config.mirror": "x" } });
  await begin("stuck", { drain: { timeoutSeconds: 8 } });
  await reaches("stuck", ({ status }) => {
    const message = status?.nodes?.[0]?.message ?? "";
    return message.includes("default/stubborn to end") && message.includes("held by example.com/keep");
  });
  // Only those two were evicted.
  expect(await livePods()).toEqual(["of-daemons", "static"]);
  expect(await isCordoned("a")).toBe(true);
  await reaches("stuck", isPhase("Failed"));
  expect((await get("stuck")).status?.nodes?.[0]).toMatchObject({
    phase: "Failed",
    reason: "DrainTimeout",
    message: expect.stringContaining("default/held") as string,
  });
  expect(await isCordoned("a")).toBe(false);
  await fixture.direct.patch(
    PODS,
    { namespace: "default", name: "held" },
    { metadata: { finalizers: null } },
  );
});

test("row 14: with Proceed the node is upgraded at its time all the same; a pod that ends in time holds nothing up", async () => {
  await node("a");
  await pod("stubborn", "a");
  await begin("all-the-same", { drain: { timeoutSeconds: 3, onTimeout: "Proceed" } });
  await reaches("all-the-same", isPhase("Succeeded"));
  expect(agent.upgraded).toEqual(["a"]);
  await node("b");
  await pod("obedient", "b");
  await begin("in-time", {
    drain: { timeoutSeconds: 60 },
    nodeSelector: { matchLabels: { "kubernetes.io/hostname": "b" } },
  });
  await reaches("in-time", ({ status }) => status?.nodes?.[0]?.message?.includes("obedient to end"));
  await fixture.direct.request({
    method: "DELETE",
    path: "/api/v1/namespaces/default/pods/obedient?gracePeriodSeconds=0",
  });
  await reaches("in-time", isPhase("Succeeded"));
});

test("row 15: nodes that go, come, are relabelled or not ready during an upgrade are counted right, and it goes on", async () => {
  const pool = { pool: "one" };
  for (const name of ["a", "b", "c", "d"]) await node(name, pool);
  agent.stuck.add("a");
  await begin("moving", { nodeSelector: { matchLabels: pool } });
  await reaches("moving", (upgrade) => phaseOf(upgrade, "a") === "Upgrading");
  await setReady("b", false);
  await fixture.direct.patch(NODES, { name: "c" }, { metadata: { labels: { pool: "two" } } });
  await node("e", pool);
  await reaches("moving", ({ status }) => status?.total === 4);
  // The one in work goes: the others have their turn, but not while the only node that may be missing is b.
  await fixture.direct.delete(NODES, { name: "a" });
  await reaches("moving", (upgrade) => phaseOf(upgrade, "a") === "Skipped");
  await reaches("moving", ({ status }) =>
    status?.conditions?.[0]?.message.includes("not Ready, and so counted as unavailable: b"),
  );
  expect(agent.upgraded).toEqual([]);
  await setReady("b", true);
  await reaches("moving", isPhase("Succeeded"));
  expect((await get("moving")).status).toMatchObject({ total: 3, done: 3, failed: 0 });
  expect([...agent.upgraded].sort()).toEqual(["b", "d", "e"]);
  for (const name of ["b", "c", "d", "e"]) expect(await isCordoned(name)).toBe(false);
});
