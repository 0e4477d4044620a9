// The syncer between two real API servers.
import {
  FleetServer,
  installHubKinds,
  ShareProbe,
  startSyncer,
  type RunningSyncer,
} from "../../test/harness/fleet";
import { CONFIG_MAPS, waitFor, type DataObject } from "../../test/harness/fault-proxy";
import type { KubernetesObject, Resource } from "../runtime";
import { NAMESPACES, SHARES } from "./kinds";

interface Deployment extends KubernetesObject {
  spec: { replicas?: number; template: object; selector: object };
  status?: { availableReplicas?: number };
}

const DEPLOYMENTS: Resource<Deployment> = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};
const CLUSTER = "east";

let hub: FleetServer;
let member: FleetServer;
let shares: ShareProbe;
let running: RunningSyncer | undefined;

beforeAll(async () => {
  [hub, member] = await Promise.all([
    FleetServer.start({ components: { controllerManager: false, scheduler: false } }),
    FleetServer.start({ nodes: 1 }),
  ]);
  await installHubKinds(hub, ["Share"]);
  shares = new ShareProbe(hub, CLUSTER);
  await shares.open();
  await member.direct.create(NAMESPACES, { metadata: { name: "shop" } });
});

afterEach(async () => {
  await running?.stop();
  running = undefined;
});

afterAll(async () => {
  await Promise.all([hub.stop(), member.stop()]);
});

const start = async (): Promise<RunningSyncer> =>
  (running = await startSyncer({ cluster: CLUSTER, hub, member }));

function deployment(name: string, replicas = 2, fields: object = {}): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "shop" },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [{ name: "web", image: "example.com/web:1", resources: { limits: { cpu: "1000m" } } }],
        },
      },
      ...fields,
    },
  };
}

function configMap(name: string, data: Record<string, string>, namespace = "shop"): DataObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

const inMember = (name: string): { name: string; namespace: string } => ({ name, namespace: "shop" });

/** Waits until it writes nothing for a while, and gives what it wrote up to then. */
async function rest(syncer: RunningSyncer | undefined, forMs = 2500): Promise<number> {
  for (let known = -1; ;) {
    const count = syncer?.writes().length ?? 0;
    if (count === known) return count;
    known = count;
    await new Promise((resolve) => setTimeout(resolve, forMs));
  }
}

test("a Deployment with its ConfigMap and Service runs in the member, in a namespace made for it, and its status comes back", async () => {
  await shares.put("web", { ...deployment("web"), metadata: { name: "web", namespace: "fresh" } });
  await shares.put("settings", configMap("settings", { a: "b" }, "fresh"));
  await shares.put("front", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "front", namespace: "fresh" },
    spec: { selector: { app: "web" }, ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] },
  } as KubernetesObject);
  await start();
  await shares.says("web", "Healthy", "Healthy");
  await shares.says("settings", "Applied", "Applied");
  await shares.says("front", "Healthy", "Healthy");
  const { status, spec } = (await shares.get("web")) ?? {};
  const live = await member.direct.get(DEPLOYMENTS, { name: "web", namespace: "fresh" });
  expect(status).toMatchObject({ appliedHash: spec?.hash, appliedGeneration: 1, uid: live.metadata.uid });
  expect(JSON.parse(status?.observed ?? "")).toMatchObject({ availableReplicas: 2, observedGeneration: 1 });
  expect((await shares.get("front"))?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: "Dropped", status: "False" }),
  );
});

test("at rest, and after a restart, it writes nothing", async () => {
  await rest(await start());
  await running?.stop();
  const second = await start();
  await waitFor("it to be whole again", () => second.syncer.problems().length === 0);
  await rest(second);
  expect(second.writes()).toEqual([]);
  await shares.put("settings", configMap("settings", { a: "c" }, "fresh"));
  await waitFor(
    "the change",
    async () =>
      (await member.direct.get(CONFIG_MAPS, { name: "settings", namespace: "fresh" })).data?.a === "c",
  );
  expect(await rest(second)).toBe(2);
});

test("what is there already is not adopted, until its owner hands it over", async () => {
  await member.direct.create(CONFIG_MAPS, { metadata: inMember("theirs"), data: { a: "theirs" } });
  await shares.put("theirs", configMap("theirs", { a: "ours", b: "more" }));
  await start();
  const message = await shares.says("theirs", "Applied", "Conflict");
  expect(message).toMatch(/ConfigMap shop\/theirs .* was there before .*fleetwright.dev\/owner=hub/);
  expect((await member.direct.get(CONFIG_MAPS, inMember("theirs"))).data).toEqual({ a: "theirs" });
  await shares.remove("theirs");
  await shares.gone("theirs");
  expect(await member.find(CONFIG_MAPS, inMember("theirs"))).toBeDefined();
});

test("what belongs to a stack is left to it, and the owner is named", async () => {
  const labels = { "fleetwright.dev/owner": "stack" };
  await member.direct.create(CONFIG_MAPS, { metadata: { ...inMember("stacked"), labels }, data: { a: "1" } });
  await shares.put("stacked", configMap("stacked", { a: "2" }));
  await start();
  expect(await shares.says("stacked", "Applied", "Conflict")).toMatch(/its owner is "stack"/);
  await shares.remove("stacked");
  await shares.gone("stacked");
});

test("a change in the member is taken back once, then left alone for a while, and who made it is named", async () => {
  await shares.put("scaled", deployment("scaled", 1));
  await start();
  await shares.says("scaled", "Applied", "Applied");
  const scale = (replicas: number): Promise<Deployment> =>
    member.direct.patch(
      DEPLOYMENTS,
      inMember("scaled"),
      { spec: { replicas } },
      { query: { fieldManager: "somebody" } },
    );
  await scale(5);
  await waitFor(
    "it to be taken back",
    async () => (await member.direct.get(DEPLOYMENTS, inMember("scaled"))).spec.replicas === 1,
  );
  expect(await shares.says("scaled", "Drifted", "ChangedInMember")).toMatch(/somebody changed spec.replicas/);
  await scale(6);
  await rest(running);
  expect((await member.direct.get(DEPLOYMENTS, inMember("scaled"))).spec.replicas).toBe(6);
});

test("a field that others had before is not taken by force", async () => {
  await shares.put("shared", configMap("shared", { ours: "1" }));
  await start();
  await shares.says("shared", "Applied", "Applied");
  await member.direct.patch(
    CONFIG_MAPS,
    inMember("shared"),
    { data: { theirs: "x" } },
    { query: { fieldManager: "other" } },
  );
  await shares.put("shared", configMap("shared", { ours: "2", theirs: "y" }));
  expect(await shares.says("shared", "Applied", "Conflict")).toMatch(/"other" manages .*theirs/);
  expect((await member.direct.get(CONFIG_MAPS, inMember("shared"))).data).toEqual({ ours: "1", theirs: "x" });
  await shares.put("shared", configMap("shared", { ours: "3" }));
  await shares.says("shared", "Applied", "Applied");
  expect((await member.direct.get(CONFIG_MAPS, inMember("shared"))).data).toEqual({ ours: "3", theirs: "x" });
});

test("an unknown field is refused by name, and a kind that the member lacks is said", async () => {
  await shares.put("unknown", deployment("unknown", 1, { wings: 2 }));
  await shares.put("widget", {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w", namespace: "shop" },
  });
  await start();
  expect(await shares.says("unknown", "Applied", "Invalid")).toMatch(/wings/);
  expect(await shares.says("widget", "Applied", "KindMissing")).toMatch(/serves no example.com\/v1 Widget/);
  expect(await member.find(DEPLOYMENTS, inMember("unknown"))).toBeUndefined();
});

test("with its root goes the object; with the Share alone it stays; a Share that vanishes changes nothing", async () => {
  for (const name of ["goes", "stays", "vanishes"]) await shares.put(name, configMap(name, {}));
  await start();
  for (const name of ["goes", "stays", "vanishes"]) await shares.says(name, "Applied", "Applied");
  await shares.remove("goes");
  await shares.remove("stays", {});
  await hub.direct.patch(
    SHARES,
    { name: "vanishes", namespace: shares.namespace },
    { metadata: { finalizers: [] } },
  );
  await shares.remove("vanishes", {});
  for (const name of ["goes", "stays", "vanishes"]) await shares.gone(name);
  await rest(running);
  expect(await member.find(CONFIG_MAPS, inMember("goes"))).toBeUndefined();
  expect(await member.find(CONFIG_MAPS, inMember("stays"))).toBeDefined();
  expect(await member.find(CONFIG_MAPS, inMember("vanishes"))).toBeDefined();
});

test("a hub that does not answer is not taken for a member that does not", async () => {
  const names = Array.from({ length: 8 }, (_, index) => `outage-${index}`);
  for (const name of names) await shares.put(name, configMap(name, { a: "1" }));
  const syncer = await start();
  for (const name of names) await shares.says(name, "Applied", "Applied");
  syncer.hubProxy.plan = ({ method, path }) =>
    method === "PATCH" || path.endsWith("/namespaces/kube-system")
      ? { kind: "status", code: 503 }
      : undefined;
  for (const name of names) await shares.put(name, configMap(name, { a: "2" }));
  const failed = (): number => syncer.lines.filter((line) => line.includes("The reconcile failed")).length;
  // After five failures in a row a member that does not answer would be left alone.
  await waitFor("several failures", () => failed() > 8);
  expect(syncer.syncer.problems()).toContainEqual(expect.stringMatching(/^the hub does not answer: .*503/));
  expect(syncer.syncer.problems().join()).not.toMatch(/the member does not answer/);
  syncer.hubProxy.plan = undefined;
  for (const name of names) await shares.says(name, "Applied", "Applied");
  await waitFor("no problem to be left", () => syncer.syncer.problems().length === 0);
  for (const name of names) expect((await member.direct.get(CONFIG_MAPS, inMember(name))).data?.a).toBe("2");
  const meant = { "fleetwright.dev/remove": "true", "fleetwright.dev/allow-deletion": "true" };
  for (const name of names) await shares.remove(name, meant);
  for (const name of names) await shares.gone(name);
});

test("most Shares at once are held back until it is confirmed", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `mass-${index}`);
  for (const name of names) await shares.put(name, configMap(name, {}));
  await start();
  for (const name of names) await shares.says(name, "Applied", "Applied");
  await Promise.all(names.map((name) => shares.remove(name)));
  // Which of them are held back depends on which were looked at first.
  const held = await waitFor("some to be held back", async () => {
    const found = await Promise.all(names.map((name) => shares.get(name)));
    return found
      .flatMap((share) => share?.status?.conditions ?? [])
      .find(({ reason }) => reason === "MassDeletion");
  });
  expect(held?.message).toMatch(/allow-deletion=true/);
  await rest(running);
  // Half of all may go before it is a mass: those of this test, and those that others left.
  const left = await Promise.all(names.map((name) => member.find(CONFIG_MAPS, inMember(name))));
  expect(left.filter((found) => found !== undefined).length).toBeGreaterThanOrEqual(10);
});
