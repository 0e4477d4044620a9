import { startWorld, type CoordinatorWorld } from "../../../test/coordinator";
import { waitFor, type Fault } from "../../../test/fault-proxy";
import { CLUSTER_LABELS } from "../kinds";
import { NODES, type Node } from "../native";

const NODE_COUNT = 500;
const PER_SECOND = 10_000;
const SECONDS = 60;
const KEY = "cluster.fleetwright.dev/env";
let world: CoordinatorWorld;

beforeAll(async () => {
  world = await startWorld({ components: { scheduler: false, controllerManager: false } });
  for (let index = 0; index < NODE_COUNT; index++)
    await world.direct.create(NODES, { metadata: { name: `node-${index}`, labels: { [KEY]: "dev" } } });
}, 300_000);
afterAll(() => world.close());

// No API server on this machine makes ten thousand events a second: the proxy adds them to a real watch. Each is a node as
// the server has it, and every tenth has lost its label.
test(`row 36: with ${PER_SECOND} events a second for ${SECONDS} s keys are looked at once each time, memory is bounded, and a real change is soon seen`, async () => {
  await world.direct.create(CLUSTER_LABELS, {
    metadata: { name: "env" },
    spec: { key: "env", value: "dev" },
  });
  const { items } = await world.direct.request<{ items: Node[] }>({ method: "GET", path: "/api/v1/nodes" });
  let sent = 0;
  const line = (resourceVersion: string): string => {
    const node = items[sent % items.length];
    sent += 1;
    const labels = sent % 10 === 0 ? {} : { [KEY]: "dev" };
    const object = {
      ...node,
      kind: "Node",
      apiVersion: "v1",
      metadata: { ...node?.metadata, resourceVersion, labels },
    };
    return JSON.stringify({ type: "MODIFIED", object });
  };
  const flood: Fault = { kind: "flood", perSecond: PER_SECOND, line };
  const running = await world.start({
    controllers: "labels",
    flags: ["--qps=1000", "--burst=1000"],
    plan: ({ path, query }) => (path === "/api/v1/nodes" && query.has("watch") ? flood : undefined),
  });
  const depth = (): number =>
    Number(
      /^workqueue_depth\{name="labels-nodes"\} (\d+)$/m.exec(
        running.coordinator.manager.metrics.render(),
      )?.[1] ?? NaN,
    );
  // It begins with the first event of the server.
  await world.direct.create(NODES, { metadata: { name: "first" } });
  await waitFor("the flood", () => sent > 10_000);
  const rss = process.memoryUsage().rss;
  const from = { sent, at: performance.now() };
  let deepest = 0;
  let worstLag = 0;
  while (performance.now() - from.at < SECONDS * 1000) {
    deepest = Math.max(deepest, depth());
    // A real change, by the real server, in the midst of the flood.
    const name = `late-${Math.round(performance.now())}`;
    const since = performance.now();
    await world.direct.create(NODES, { metadata: { name } });
    await waitFor(
      `the label on ${name}`,
      async () => (await world.direct.get(NODES, { name })).metadata.labels?.[KEY] === "dev",
      30_000,
    );
    worstLag = Math.max(worstLag, performance.now() - since);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  const rate = ((sent - from.sent) / (performance.now() - from.at)) * 1000;
  const growth = process.memoryUsage().rss / rss;
  const writes = running.writes().filter((write) => write.includes("/nodes/")).length;
  console.log(
    JSON.stringify({
      eventsPerSecond: Math.round(rate),
      deepest,
      worstLagMs: Math.round(worstLag),
      growth,
      writes,
      sent,
    }),
  );
  expect(deepest).toBeLessThanOrEqual(NODE_COUNT + SECONDS);
  expect(worstLag).toBeLessThan(5000);
  expect(growth).toBeLessThan(1.5);
  // A tenth of the events ask for a write; one write answers all that came for a node meanwhile.
  expect(writes).toBeLessThan(sent / 10);
  await running.stop();
}, 300_000);
