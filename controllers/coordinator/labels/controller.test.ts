import {
  crashAtEveryWrite,
  quiet,
  startCoordinatorFixture,
  writesWithin,
  type CoordinatorFixture,
  type Running,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { CLUSTER_LABELS, NODE_POOL_LABELS, type ClusterLabelObject } from "../kinds";
import { NODES } from "../native-resources";

let fixture: CoordinatorFixture;
let running: Running | undefined;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
  for (const [name, pool] of [
    ["a", "one"],
    ["b", "one"],
    ["c", "two"],
  ] as const)
    await fixture.direct.create(NODES, {
      metadata: { name, labels: { "fleetwright.dev/node-pool": pool, theirs: "kept" } },
    });
});
afterAll(() => fixture.close());
beforeEach(async () => {
  running = await fixture.start({ controllers: "labels" });
});
afterEach(async () => {
  await clear();
  await running?.stop();
});

async function clear(): Promise<void> {
  for (const resource of [CLUSTER_LABELS, NODE_POOL_LABELS])
    await fixture.direct.request({ method: "DELETE", path: `/apis/fleetwright.dev/v1/${resource.plural}` });
  await waitFor("the declarations to go", async () => {
    const lists = [CLUSTER_LABELS, NODE_POOL_LABELS].map((resource) =>
      fixture.direct.request<{ items: unknown[] }>({
        method: "GET",
        path: `/apis/fleetwright.dev/v1/${resource.plural}`,
      }),
    );
    return (await Promise.all(lists)).every(({ items }) => items.length === 0);
  });
}

const declare = (name: string, key: string, value: string): Promise<ClusterLabelObject> =>
  fixture.direct.create(CLUSTER_LABELS, { metadata: { name }, spec: { key, value } });
const onNode = async (name: string): Promise<Record<string, string>> => {
  const { labels = {} } = (await fixture.direct.get(NODES, { name })).metadata;
  return Object.fromEntries(Object.entries(labels).filter(([key]) => key.includes(".fleetwright.dev/")));
};
const onNodes = async (): Promise<Record<string, string>[]> => Promise.all(["a", "b", "c"].map(onNode));
const have = (...wanted: Record<string, string>[]): Promise<unknown> =>
  waitFor("the labels", async () => JSON.stringify(await onNodes()) === JSON.stringify(wanted), 15_000).catch(
    async () => {
      expect(await onNodes()).toEqual(wanted);
    },
  );
const ready = async (name: string): Promise<string | undefined> =>
  (await fixture.direct.get(CLUSTER_LABELS, { name })).status?.conditions?.find(
    ({ type }) => type === "Ready",
  )?.reason;

test("labels come, change and go with their declarations; other labels stay", async () => {
  await declare("env", "env", "dev");
  await fixture.direct.create(NODE_POOL_LABELS, {
    metadata: { name: "disk" },
    spec: { pool: "one", key: "disk", value: "ssd" },
  });
  const env = { "cluster.fleetwright.dev/env": "dev" };
  const disk = { "nodepool.fleetwright.dev/disk": "ssd" };
  await have({ ...env, ...disk }, { ...env, ...disk }, env);
  await waitFor("status", async () => (await ready("env")) === "Labelled");
  expect((await fixture.direct.get(CLUSTER_LABELS, { name: "env" })).status).toMatchObject({
    nodes: { labelled: 3, total: 3 },
    observedGeneration: 1,
  });
  await waitFor("the pool's count", async () => {
    const { status } = await fixture.direct.get(NODE_POOL_LABELS, { name: "disk" });
    return status?.nodes?.labelled === 2 && status.nodes.total === 2;
  });
  await fixture.direct.patch(CLUSTER_LABELS, { name: "env" }, { spec: { value: "prod" } });
  const prod = { "cluster.fleetwright.dev/env": "prod" };
  await have({ ...prod, ...disk }, { ...prod, ...disk }, prod);
  await fixture.direct.patch(
    NODES,
    { name: "a" },
    { metadata: { labels: { "fleetwright.dev/node-pool": "two" } } },
  );
  await have(prod, { ...prod, ...disk }, prod);
  await fixture.direct.patch(
    NODES,
    { name: "a" },
    { metadata: { labels: { "fleetwright.dev/node-pool": "one" } } },
  );
  await fixture.direct.delete(CLUSTER_LABELS, { name: "env" });
  await have(disk, disk, {});
  expect((await fixture.direct.get(NODES, { name: "a" })).metadata.labels).toMatchObject({ theirs: "kept" });
});

test("drift is healed, also a label that nobody declared", async () => {
  await declare("env", "env", "dev");
  const env = { "cluster.fleetwright.dev/env": "dev" };
  await have(env, env, env);
  await fixture.direct.patch(
    NODES,
    { name: "a" },
    {
      metadata: { labels: { "cluster.fleetwright.dev/env": "changed", "cluster.fleetwright.dev/more": "x" } },
    },
  );
  await fixture.direct.patch(
    NODES,
    { name: "b" },
    { metadata: { labels: { "cluster.fleetwright.dev/env": null } } },
  );
  await have(env, env, env);
});

test("the older of two with one key holds, and the younger says so", async () => {
  await declare("first", "env", "1");
  await waitFor("first", async () => (await ready("first")) === "Labelled");
  // Times have whole seconds: of two that were made in the same one the name decides.
  await declare("second", "env", "2");
  await waitFor("second", async () => (await ready("second")) === "KeyTaken");
  await fixture.direct.delete(CLUSTER_LABELS, { name: "first" });
  const env = { "cluster.fleetwright.dev/env": "2" };
  await have(env, env, env);
  await waitFor("second to hold", async () => (await ready("second")) === "Labelled");
});

test("each node is written once, and at rest nothing is", async () => {
  await running?.stop();
  for (let count = 0; count < 5; count++) await declare(`many-${count}`, `k${count}`, "v");
  running = await fixture.start({ controllers: "labels" });
  const one = running;
  await waitFor("status", async () => (await ready("many-4")) === "Labelled");
  await quiet(one);
  expect(
    one
      .writes()
      .filter((write) => write.includes("/nodes/"))
      .sort(),
  ).toEqual(["a", "b", "c"].map((name) => `PATCH /api/v1/nodes/${name}`));
  expect(await writesWithin(one, 3000)).toEqual([]);
  await one.stop();
  running = await fixture.start({ controllers: "labels" });
  await quiet(running, 2000);
  expect(running.writes()).toEqual([]);
});

test("most of the declarations going at once is taken for a mistake until they say that it is meant", async () => {
  for (let count = 0; count < 12; count++) await declare(`mass-${count}`, `k${count}`, "v");
  await waitFor("all", async () => Object.keys(await onNode("a")).length === 12);
  await waitFor("status", async () => (await ready("mass-11")) === "Labelled");
  await fixture.direct.request({ method: "DELETE", path: "/apis/fleetwright.dev/v1/clusterlabels" });
  await waitFor("it to be held", async () => (await ready("mass-3")) === "MassDeletion");
  if (running !== undefined) await quiet(running);
  expect(Object.keys(await onNode("a"))).toHaveLength(12);
  for (let count = 0; count < 12; count++)
    await fixture.direct
      .patch(
        CLUSTER_LABELS,
        { name: `mass-${count}` },
        { metadata: { annotations: { "fleetwright.dev/allow-deletion": "true" } } },
      )
      .catch(() => {});
  await have({}, {}, {});
});

test("most of the declarations going one after another is held too, also by the next leader, until each is confirmed", async () => {
  const names = Array.from({ length: 14 }, (_, index) => `row-${String(index).padStart(2, "0")}`);
  for (const name of names) await declare(name, name, "v");
  await waitFor("all", async () => Object.keys(await onNode("a")).length === names.length);
  await waitFor("status", async () => (await ready("row-13")) === "Labelled");
  for (const name of names) {
    await fixture.direct.delete(CLUSTER_LABELS, { name });
    await waitFor(`${name} to go or to be held`, async () =>
      ready(name).then(
        (reason) => reason === "MassDeletion",
        () => true,
      ),
    );
  }
  const held = names.slice(9);
  const carried = async (): Promise<string[]> =>
    Object.keys(await onNode("a")).map((key) => key.replace("cluster.fleetwright.dev/", ""));
  expect(await carried()).toEqual(held);
  // The next one has seen nothing of those that went, and only five are left: too few to look like a mistake.
  await running?.stop();
  running = await fixture.start({ controllers: "labels" });
  await quiet(running, 2000);
  expect(await carried()).toEqual(held);
  for (const name of held) {
    await fixture.direct.patch(
      CLUSTER_LABELS,
      { name },
      { metadata: { annotations: { "fleetwright.dev/allow-deletion": "true" } } },
    );
  }
  await have({}, {}, {});
});

test("a node that is deleted meanwhile, or made anew, harms nothing", async () => {
  await declare("env", "env", "dev");
  await fixture.direct.create(NODES, { metadata: { name: "d" } });
  await waitFor("d", async () => Object.keys(await onNode("d")).length === 1);
  await fixture.direct.delete(NODES, { name: "d" });
  await fixture.direct.create(NODES, { metadata: { name: "d" } });
  await waitFor("d anew", async () => Object.keys(await onNode("d")).length === 1);
  await fixture.direct.delete(NODES, { name: "d" });
  await waitFor(
    "status",
    async () => (await fixture.direct.get(CLUSTER_LABELS, { name: "env" })).status?.nodes?.total === 3,
  );
});

test("whenever it dies, the next one gets there", async () => {
  await running?.stop();
  running = undefined;
  const env = { "cluster.fleetwright.dev/env": "dev" };
  const deaths = await crashAtEveryWrite(
    fixture,
    { controllers: "labels" },
    {
      arrange: async () => {
        await declare("env", "env", "dev");
      },
      converged: async () => {
        await have(env, env, env);
        await waitFor("status", async () => (await ready("env")) === "Labelled");
      },
      restore: clear,
    },
  );
  expect(deaths).toBeGreaterThanOrEqual(5);
  running = await fixture.start({ controllers: "labels" });
});
