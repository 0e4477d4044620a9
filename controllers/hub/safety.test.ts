// What a hub must never do to its members, whatever is deleted on it, whoever leads, and whatever does not answer.
import {
  clusterSays,
  CRDS,
  FleetServer,
  installHubKinds,
  pushCluster,
  startHub,
  type RunningHub,
} from "../../test/harness/fleet";
import { CONFIG_MAPS, waitFor, waitForRest, type FaultProxy } from "../../test/harness/fault-proxy";
import type { KubernetesObject, Resource } from "../runtime";
import { NAMESPACES, SHARES } from "../syncer/kinds";
import { CLUSTERS } from "./kinds";

const PIN = "fleetwright.dev/cluster";
const WIDGETS: Resource = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};
const FLAGS = ["--heartbeat=2", "--import-interval=2"];
const members = ["east", "west"] as const;
type Member = (typeof members)[number];

let hub: FleetServer;
let server: Record<Member, FleetServer>;
let proxy: Record<Member, FaultProxy>;
let running: RunningHub;
const others: RunningHub[] = [];

beforeAll(async () => {
  const components = { controllerManager: false, scheduler: false };
  const [first, east, west] = await Promise.all([
    FleetServer.start({ server: "hub-apiserver" }),
    FleetServer.start({ components }),
    FleetServer.start({ components }),
  ]);
  hub = first;
  server = { east, west };
  proxy = { east: await east.proxy(), west: await west.proxy() };
  await installHubKinds(hub);
  for (const name of ["fleetwright-system", "shop"])
    await hub.direct.create(NAMESPACES, { metadata: { name } });
  running = await startHub(hub, FLAGS);
  await pushCluster(hub, "east", east.kubeconfigOf(proxy.east), { onRemove: "Orphan" });
  await pushCluster(hub, "west", west.kubeconfigOf(proxy.west), { onRemove: "Delete" });
  for (const name of members) await clusterSays(hub, name, "Ready", "Synced");
});

afterEach(() => {
  for (const name of members) proxy[name].plan = undefined;
});

afterAll(async () => {
  await Promise.all([running, ...others].map((one) => one.stop()));
  await Promise.all([hub, server.east, server.west].map((one) => one.stop()));
});

const ref = (name: string): { name: string; namespace: string } => ({ name, namespace: "shop" });
const pinned = (name: string, cluster: Member, annotations: Record<string, string> = {}) => ({
  ...ref(name),
  labels: { [PIN]: cluster },
  annotations,
});

async function place(name: string, cluster: Member, resource: Resource = CONFIG_MAPS): Promise<void> {
  await hub.direct.create(resource, { metadata: pinned(name, cluster) });
  await waitFor(`${name} in ${cluster}`, () => server[cluster].find(resource, ref(name)));
}

const uidIn = async (cluster: Member, name: string, resource: Resource = CONFIG_MAPS): Promise<string> =>
  (await server[cluster].direct.get(resource, ref(name))).metadata.uid ?? "";

const definition = (): KubernetesObject & { spec: object } => ({
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
});

async function define(on: FleetServer): Promise<void> {
  await on.direct.create(CRDS, definition());
  await waitFor("the kind", async () =>
    (await on.direct.get(CRDS, definition().metadata)).status?.conditions?.some(
      ({ type, status }) => type === "Established" && status === "True",
    ),
  );
}

const gone = (what: string, resource: Resource, name: string): Promise<unknown> =>
  waitFor(`${what} to go`, async () => (await hub.find(resource, { name })) === undefined);

test("in the mode push a member that does not answer is lost, although its syncer lives beside the hub", async () => {
  proxy.east.plan = () => ({ kind: "status", code: 503 });
  const { message } = await clusterSays(hub, "east", "Reachable", "HeartbeatLost");
  expect(message).toMatch(/the member does not answer: .*503/);
  proxy.east.plan = undefined;
  await clusterSays(hub, "east", "Ready", "Synced");
});

test("a hub that loses all its members at once says that it is the hub that is cut off", async () => {
  for (const name of members) proxy[name].plan = () => ({ kind: "status", code: 503 });
  for (const name of members) await clusterSays(hub, name, "Reachable", "HubCutOff");
  for (const name of members) proxy[name].plan = undefined;
  for (const name of members) await clusterSays(hub, name, "Ready", "Synced");
});

test("with the definition of a kind its objects on the hub go, and none in a member, whatever onRemove says", async () => {
  for (const one of [hub, server.east, server.west]) await define(one);
  await place("orphaned", "east", WIDGETS);
  await place("kept", "west", WIDGETS);
  const before = [await uidIn("east", "orphaned", WIDGETS), await uidIn("west", "kept", WIDGETS)];
  await hub.direct.delete(CRDS, definition().metadata);
  await gone("the definition", CRDS, "widgets.example.com");
  // Nothing names the kind any more, and what came from the hub is reported all the same.
  for (const [cluster, name] of [
    ["east", "orphaned"],
    ["west", "kept"],
  ] as const)
    await waitFor(`${name} to be reported`, async () =>
      (await clusterSays(hub, cluster, "Ready", "Synced")).message.includes(`Widget shop/${name}`),
    );
  expect([await uidIn("east", "orphaned", WIDGETS), await uidIn("west", "kept", WIDGETS)]).toEqual(before);
  // Also by the next process, which has never seen a Share of it.
  await running.stop();
  running = await startHub(hub, FLAGS);
  await define(hub);
  await waitFor("a beat of the new process", () =>
    running.lines.some((line) => line.includes("The member belongs to this hub")),
  );
  await waitFor("it to be reported still", async () =>
    (await clusterSays(hub, "west", "Ready", "Synced")).message.includes("Widget shop/kept"),
  );
  // What is declared again is the hub's again, and is no orphan then.
  await place("kept", "west", WIDGETS);
  await waitFor(
    "it to be no orphan",
    async () => !(await clusterSays(hub, "west", "Ready", "Synced")).message.includes("Widget shop/kept"),
  );
  expect(await uidIn("west", "kept", WIDGETS)).toBe(before[1]);
});

test("with the namespace of a cluster its Shares go and come again, and nothing happens in the member", async () => {
  await place("east-stays", "east");
  await place("west-stays", "west");
  const before = [await uidIn("east", "east-stays"), await uidIn("west", "west-stays")];
  for (const cluster of members) {
    const name = `cluster-${cluster}`;
    const { metadata } = await hub.direct.get(NAMESPACES, { name });
    await hub.direct.delete(NAMESPACES, { name });
    await waitFor("another namespace", async () => {
      const found = await hub.find(NAMESPACES, { name });
      return found !== undefined && found.metadata.uid !== metadata.uid;
    });
    await waitFor("the Share to be applied again", async () =>
      (
        await hub.direct.request<{ items: { status?: { appliedHash?: string } }[] }>({
          method: "GET",
          path: `/apis/${SHARES.group}/${SHARES.version}/namespaces/${name}/shares`,
        })
      ).items.some(({ status }) => status?.appliedHash !== undefined),
    );
  }
  expect([await uidIn("east", "east-stays"), await uidIn("west", "west-stays")]).toEqual(before);
});

test("a Share whose root went while nobody looked goes, and its object stays and is reported", async () => {
  await place("left", "east");
  const before = await uidIn("east", "left");
  await running.stop();
  await hub.direct.patch(CONFIG_MAPS, ref("left"), { metadata: { finalizers: [] } });
  await hub.direct.delete(CONFIG_MAPS, ref("left"));
  expect(await hub.find(CONFIG_MAPS, ref("left"))).toBeUndefined();
  running = await startHub(hub, FLAGS);
  await waitFor("the Share to go", async () => {
    const path = `/apis/${SHARES.group}/${SHARES.version}/namespaces/cluster-east/shares`;
    const { items } = await hub.direct.request<{ items: { spec: { root: { name: string } } }[] }>({
      method: "GET",
      path,
    });
    return !items.some(({ spec }) => spec.root.name === "left");
  });
  await waitFor("it to be reported", async () =>
    (await clusterSays(hub, "east", "Ready", "Synced")).message.includes("ConfigMap shop/left"),
  );
  expect(await uidIn("east", "left")).toBe(before);
});

test("most of a cluster's objects move at once if their roots say that it is meant", async () => {
  const names = Array.from({ length: 14 }, (_, index) => `moves-${index}`);
  const annotations = { "fleetwright.dev/allow-deletion": "true" };
  for (const name of names)
    await hub.direct.create(CONFIG_MAPS, { metadata: pinned(name, "east", annotations) });
  for (const name of names) await waitFor(`${name} in east`, () => server.east.find(CONFIG_MAPS, ref(name)));
  for (const name of names)
    await hub.direct.patch(CONFIG_MAPS, ref(name), { metadata: { labels: { [PIN]: "west" } } });
  for (const name of names) {
    await waitFor(`${name} in west`, () => server.west.find(CONFIG_MAPS, ref(name)));
    await waitFor(
      `${name} gone from east`,
      async () => (await server.east.find(CONFIG_MAPS, ref(name))) === undefined,
    );
  }
});

test("who leads no longer writes into no member, and does again once it leads again", async () => {
  await place("contested", "east");
  await running.stop();
  const flags = [...FLAGS, "--leader-elect=true"];
  running = await startHub(hub, [...flags, "--identity=first"]);
  await waitFor("the first to lead", () =>
    running.lines.some((line) => line.includes("This process leads.")),
  );
  await waitFor("its syncers", () =>
    running.lines.some((line) => line.includes("The member belongs to this hub") && line.includes("east")),
  );
  const second = await startHub(hub, [...flags, "--identity=second", "--syncers=none"]);
  others.push(second);
  // It can do all but renew its lease, as a process that hangs in between.
  running.proxy.plan = ({ path }) =>
    path.endsWith("/leases/fleetwright-hub") ? { kind: "status", code: 503 } : undefined;
  await waitFor("the second to lead", () =>
    second.lines.some((line) => line.includes("This process leads.")),
  );
  await waitFor("the first to end its syncers", () =>
    members.every((name) =>
      running.lines.some((line) => line.includes("syncer of a cluster was stopped") && line.includes(name)),
    ),
  );
  await server.east.direct.delete(CONFIG_MAPS, ref("contested"));
  await waitForRest("writes into the member to end", () => writesInto(proxy.east), 4000);
  expect(await server.east.find(CONFIG_MAPS, ref("contested"))).toBeUndefined();
  await second.stop();
  running.proxy.plan = undefined;
  await waitFor("it to be made again", () => server.east.find(CONFIG_MAPS, ref("contested")));
});

test("with a Cluster go its objects if onRemove says Delete, and none if it says Orphan", async () => {
  await place("ends", "west");
  await place("runs-on", "east");
  for (const name of members) await hub.direct.delete(CLUSTERS, { name });
  for (const name of members) await gone(name, CLUSTERS, name);
  expect(await server.west.find(CONFIG_MAPS, ref("ends"))).toBeUndefined();
  expect(await server.east.find(CONFIG_MAPS, ref("runs-on"))).toBeDefined();
  for (const name of ["ends", "runs-on"]) await hub.direct.delete(CONFIG_MAPS, ref(name));
});

test("with all definitions on the hub nothing goes in any member, whatever onRemove says", async () => {
  for (const name of members) {
    const secret = { group: "", version: "v1", kind: "Secret", plural: "secrets", namespaced: true };
    await hub.direct.delete(secret, { name: `cluster-${name}`, namespace: "fleetwright-system" });
  }
  await pushCluster(hub, "east", server.east.kubeconfigOf(proxy.east), { onRemove: "Orphan" });
  await pushCluster(hub, "west", server.west.kubeconfigOf(proxy.west), { onRemove: "Delete" });
  for (const name of members) await clusterSays(hub, name, "Ready", "Synced");
  await place("east-map", "east");
  await place("west-map", "west");
  await place("west-widget", "west", WIDGETS);
  const found = async (): Promise<string[]> => [
    await uidIn("east", "east-map"),
    await uidIn("west", "west-map"),
    await uidIn("west", "west-widget", WIDGETS),
  ];
  const before = await found();
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const left = async (): Promise<{ metadata: { name: string } }[]> =>
    (await hub.direct.request<{ items: { metadata: { name: string } }[] }>({ method: "GET", path })).items;
  expect((await left()).length).toBeGreaterThan(4);
  for (const { metadata } of await left()) await hub.direct.delete(CRDS, metadata).catch(() => undefined);
  // The controllers publish what a cluster serves again only if a person asked for it, so that nothing comes back.
  await waitFor("all definitions to go", async () => (await left()).length === 0);
  for (const name of members)
    await waitForRest(`requests to ${name} to end`, () => writesInto(proxy[name]), 3000);
  expect(await found()).toEqual(before);
});

const writesInto = ({ seen }: FaultProxy): number => seen.filter(({ method }) => method !== "GET").length;
