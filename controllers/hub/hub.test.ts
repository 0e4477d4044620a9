// The hub's controllers with real API servers: a label is enough to run something in a member.
import {
  clusterSays,
  FleetServer,
  installHubKinds,
  pushCluster,
  startHub,
  type RunningHub,
} from "../../test/harness/fleet";
import { CONFIG_MAPS, waitFor } from "../../test/harness/fault-proxy";
import { isNotFound, type KubernetesObject, type Resource } from "../runtime";
import { NAMESPACES, SHARES } from "../syncer/kinds";
import { CLUSTERS } from "./kinds";

interface Deployment extends KubernetesObject {
  spec: { replicas?: number; template: object; selector: object };
  status?: { availableReplicas?: number; observedGeneration?: number };
}

const DEPLOYMENTS: Resource<Deployment> = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};
const PIN = "fleetwright.dev/cluster";

let hub: FleetServer;
let east: FleetServer;
let west: FleetServer;
let running: RunningHub;
const open: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  [hub, east, west] = await Promise.all([
    FleetServer.start({ components: { controllerManager: false, scheduler: false } }),
    FleetServer.start({ nodes: 1 }),
    FleetServer.start({ components: { controllerManager: false, scheduler: false } }),
  ]);
  await installHubKinds(hub);
  for (const name of ["fleetwright-system", "shop"])
    await hub.direct.create(NAMESPACES, { metadata: { name } });
  open.push(hub, east, west);
  running = await startHub(hub);
  open.push(running);
  await pushCluster(hub, "east", east.plane.kubeconfig);
  await pushCluster(hub, "west", west.plane.kubeconfig);
});

afterAll(async () => {
  for (const one of open.reverse()) await one.stop();
});

const pinned = (name: string, cluster = "east") => ({ name, namespace: "shop", labels: { [PIN]: cluster } });

function deployment(name: string, cluster = "east"): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: pinned(name, cluster),
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "web", image: "example.com/web:1" }] },
      },
    },
  };
}

test("a cluster becomes ready, and says what it is and has", async () => {
  await clusterSays(hub, "east", "Ready", "Synced");
  const { status } = await hub.direct.get(CLUSTERS, { name: "east" });
  expect(status).toMatchObject({
    version: expect.stringMatching(/^v1\./) as string,
    nodes: { ready: 1, total: 1 },
  });
  expect(Number(status?.capacity?.cpu)).toBeGreaterThan(0);
  const types = status?.conditions?.map(({ type }) => type).sort();
  expect(types).toEqual(["APIsCompatible", "Accepted", "Draining", "Reachable", "Ready"]);
});

test("a Deployment with a label runs in the cluster that it names, and its status comes back", async () => {
  await hub.direct.create(DEPLOYMENTS, deployment("web"));
  const found = await waitFor("its replicas", async () => {
    const live = await hub.direct.get(DEPLOYMENTS, { name: "web", namespace: "shop" });
    return live.status?.availableReplicas === 2 ? live : undefined;
  });
  expect(found?.status?.observedGeneration).toBe(found?.metadata.generation);
  expect((await east.direct.get(DEPLOYMENTS, { name: "web", namespace: "shop" })).spec.replicas).toBe(2);
});

test("a changed root is changed there, and at rest nobody writes anything", async () => {
  await hub.direct.patch(DEPLOYMENTS, { name: "web", namespace: "shop" }, { spec: { replicas: 3 } });
  await waitFor(
    "three replicas",
    async () =>
      (await hub.direct.get(DEPLOYMENTS, { name: "web", namespace: "shop" })).status?.availableReplicas === 3,
  );
  let known = -1;
  while (known !== running.writes().length) {
    known = running.writes().length;
    await new Promise((resolve) => setTimeout(resolve, 4000));
  }
  expect(running.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test("with another label it moves, and leaves nothing behind", async () => {
  await hub.direct.create(CONFIG_MAPS, { metadata: pinned("moves"), data: { a: "1" } });
  const ref = { name: "moves", namespace: "shop" };
  await waitFor("it in east", () => east.find(CONFIG_MAPS, ref));
  await hub.direct.patch(CONFIG_MAPS, ref, { metadata: { labels: { [PIN]: "west" } } });
  await waitFor("it in west", () => west.find(CONFIG_MAPS, ref));
  await waitFor("it gone from east", async () => (await east.find(CONFIG_MAPS, ref)) === undefined);
  await hub.direct.patch(CONFIG_MAPS, ref, { metadata: { labels: { [PIN]: null } } });
  await waitFor("it gone from west", async () => (await west.find(CONFIG_MAPS, ref)) === undefined);
  await waitFor(
    "the finalizer off",
    async () => ((await hub.direct.get(CONFIG_MAPS, ref)).metadata.finalizers ?? []).length === 0,
  );
});

test("with the root the object goes, and only then the root", async () => {
  await hub.direct.create(CONFIG_MAPS, { metadata: pinned("goes"), data: {} });
  const ref = { name: "goes", namespace: "shop" };
  await waitFor("it in east", () => east.find(CONFIG_MAPS, ref));
  await hub.direct.delete(CONFIG_MAPS, ref);
  await waitFor("the root to go", async () => (await hub.find(CONFIG_MAPS, ref)) === undefined);
  expect(await east.find(CONFIG_MAPS, ref)).toBeUndefined();
});

test("a Cluster that goes leaves its objects, and takes its Shares, rights and namespace along", async () => {
  await hub.direct.create(CONFIG_MAPS, { metadata: pinned("left", "west"), data: {} });
  const ref = { name: "left", namespace: "shop" };
  await waitFor("it in west", () => west.find(CONFIG_MAPS, ref));
  await hub.direct.delete(CLUSTERS, { name: "west" });
  await waitFor("the Shares to go", async () => {
    const { items } = await hub.direct.request<{ items: unknown[] }>({
      method: "GET",
      path: `/apis/${SHARES.group}/${SHARES.version}/namespaces/cluster-west/shares`,
    });
    return items.length === 0;
  });
  expect(await west.find(CONFIG_MAPS, ref)).toBeDefined();
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/fleetwright:cluster:west";
  await waitFor("its rights to go", () =>
    hub.direct.request({ method: "GET", path }).then(
      () => false,
      (error: unknown) => isNotFound(error),
    ),
  );
});
