// Servers that die during an upgrade, on the real API server. Nobody plays kubelets: servers are as well as the test says.
import {
  AgentStandIn,
  makeControlPlanePods,
  removeControlPlanePods,
  SERVER_LABELS,
  setPodReady,
  startCoordinatorFixture,
  type CoordinatorFixture,
  type Running,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { LEASES } from "../../runtime";
import { UPGRADES, type UpgradeObject } from "../kinds";
import { NODES } from "../native-resources";

const [FROM, TO] = ["v1.34.1+rke2r1", "v1.35.4+rke2r1"];
const SERVERS = ["m1", "m2", "m3"];
let fixture: CoordinatorFixture;
let running: Running;
let agent: AgentStandIn;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
});
afterAll(() => fixture.close());
beforeEach(async () => {
  agent = new AgentStandIn(fixture.direct);
  for (const name of SERVERS) {
    await fixture.direct.create(NODES, { metadata: { name, labels: SERVER_LABELS } });
    await setNode(name, { ready: true, voter: true, version: FROM });
    await makeControlPlanePods(fixture.direct, name, FROM);
    agent.servers.add(name);
  }
  running = await fixture.start({ controllers: "upgrades" });
});
afterEach(async () => {
  await running.stop();
  await agent.stop();
  await removeControlPlanePods(fixture.direct);
  await fixture.direct.request({ method: "DELETE", path: "/api/v1/nodes" });
  await fixture.direct.patch(UPGRADES, { name: "up" }, { metadata: { finalizers: null } });
  await fixture.direct.delete(UPGRADES, { name: "up" }).catch(() => {});
});

async function setNode(
  name: string,
  { ready, voter, version }: { ready: boolean; voter: boolean; version?: string },
): Promise<void> {
  const conditions = [
    { type: "Ready", status: ready ? "True" : "Unknown", reason: "Test" },
    { type: "EtcdIsVoter", status: voter ? "True" : "False", reason: "Test" },
  ];
  const status = { conditions, ...(version === undefined ? {} : { nodeInfo: { kubeletVersion: version } }) };
  await fixture.direct.patch(NODES, { name }, { status }, { subresource: "status" });
}
const get = (): Promise<UpgradeObject> => fixture.direct.get(UPGRADES, { name: "up" });
const messageOf = ({ status }: UpgradeObject): string => status?.conditions?.[0]?.message ?? "";
const reaches = (what: (upgrade: UpgradeObject) => boolean): Promise<unknown> =>
  waitFor("it to get there", async () => what(await get()), 60_000).catch(async () => {
    throw new Error(`It did not get there: ${JSON.stringify((await get()).status)}`);
  });
async function begin(): Promise<void> {
  const digest = `sha256:${"0".repeat(64)}`;
  const skip = ["EtcdSnapshot", "VersionSkew", "Agents"];
  const body = {
    apiVersion: "fleetwright.dev/v1",
    kind: "ClusterUpgrade",
    metadata: { name: "up" },
    spec: { version: TO, digest, preflight: { skip } },
  };
  await fixture.direct.request({ method: "POST", path: "/apis/fleetwright.dev/v1/clusterupgrades", body });
}
/** Begins, and gives m1 to its agent, who does not end before `goOn` is called. */
async function beginWithFirst(): Promise<() => Promise<void>> {
  agent.stuck.add("m1");
  await begin();
  await reaches(({ status }) => status?.nodes?.some(({ phase }) => phase === "Upgrading") ?? false);
  return async () => {
    agent.stuck.delete("m1");
    await fixture.direct.patch(NODES, { name: "m1" }, { metadata: { labels: { seen: "again" } } });
  };
}

test.each<[string, () => Promise<void>, () => Promise<void>, string]>([
  [
    "whose machine is dead",
    () => setNode("m3", { ready: false, voter: true }),
    () => setNode("m3", { ready: true, voter: true }),
    "m3 is not Ready",
  ],
  [
    "whose etcd is still a learner",
    () => setNode("m3", { ready: true, voter: false }),
    () => setNode("m3", { ready: true, voter: true }),
    "m3 is no voting member of etcd yet",
  ],
  [
    "whose etcd is not Ready",
    () => setPodReady(fixture.direct, "etcd-m3", false),
    () => setPodReady(fixture.direct, "etcd-m3", true),
    "etcd on m3 is not Ready",
  ],
])(
  "of three servers, with one %s, the second is not touched, status says why, and it goes on when that is well again",
  async (_what, die, recover, why) => {
    const goOn = await beginWithFirst();
    await die();
    await goOn();
    await reaches(({ status }) => status?.done === 1 && status.conditions?.[0]?.reason === "Held");
    expect(messageOf(await get())).toContain(`no other node is begun, because ${why}`);
    expect(agent.upgraded).toEqual(["m1"]);
    const { spec, metadata } = await fixture.direct.get(NODES, { name: "m2" });
    expect([spec?.unschedulable, Object.keys(metadata.annotations ?? {})]).toEqual([undefined, []]);
    await recover();
    await reaches(({ status }) => status?.phase === "Succeeded");
    expect(agent.upgraded).toEqual(["m1", "m2", "m3"]);
  },
  120_000,
);

test("a server whose kubelet is silent is not waited for until Kubernetes calls it dead: no other is begun", async () => {
  const lease = { namespace: "kube-node-lease", name: "m3" };
  const ago = (seconds: number): string =>
    new Date(Date.now() - seconds * 1000).toISOString().replace("Z", "000Z");
  const renewals = new Map(SERVERS.map((name) => [name, ago(0)]));
  for (const [name, renewTime] of renewals)
    await fixture.direct.create(LEASES, {
      metadata: { ...lease, name },
      spec: { holderIdentity: name, renewTime: name === "m3" ? ago(25) : renewTime },
    });
  const alive = new Set(["m1", "m2"]);
  const beat = setInterval(() => {
    for (const name of alive)
      void fixture.direct.patch(LEASES, { ...lease, name }, { spec: { renewTime: ago(0) } }).catch(() => {});
  }, 2000);
  try {
    await begin();
    await reaches(({ status }) => status?.conditions?.[0]?.reason === "Held");
    expect(messageOf(await get())).toMatch(/because nothing has been heard of the kubelet of m3 for \d+ s/);
    expect(agent.upgraded).toEqual([]);
    alive.add("m3");
    await reaches(({ status }) => status?.phase === "Succeeded");
    expect(agent.upgraded).toEqual(["m1", "m2", "m3"]);
  } finally {
    clearInterval(beat);
    for (const name of SERVERS) await fixture.direct.delete(LEASES, { ...lease, name });
  }
}, 120_000);

test("a server that comes up without its etcd is not given back, and no other is begun", async () => {
  const goOn = await beginWithFirst();
  await setPodReady(fixture.direct, "etcd-m1", false);
  await goOn();
  await reaches(({ status }) => status?.nodes?.[0]?.message === "Waiting, because etcd on m1 is not Ready.");
  expect(agent.upgraded).toEqual(["m1"]);
  expect((await fixture.direct.get(NODES, { name: "m1" })).spec?.unschedulable).toBe(true);
  await setPodReady(fixture.direct, "etcd-m1", true);
  await reaches(({ status }) => status?.phase === "Succeeded");
});

test("an API server that is not ready holds it too, and an answer that does not come is no end of it", async () => {
  const goOn = await beginWithFirst();
  running.proxy.plan = ({ path }) =>
    path.startsWith("/readyz") || path.includes("/namespaces/kube-system/pods")
      ? { kind: "status", code: 500 }
      : undefined;
  await goOn();
  await reaches(
    ({ status }) => status?.nodes?.[0]?.message?.includes("the API server is not ready") ?? false,
  );
  expect((await get()).status?.nodes?.[0]?.message).toContain(
    "the pods of the control plane cannot be listed",
  );
  expect(agent.upgraded).toEqual(["m1"]);
  running.proxy.plan = undefined;
  await reaches(({ status }) => status?.phase === "Succeeded");
});
