import { freePort } from "../../../lib/port";
import {
  Replicas,
  startCoordinatorFixture,
  type CoordinatorFixture,
} from "../../../test/harness/coordinator";
import { waitFor, type Fault } from "../../../test/harness/fault-proxy";
import { repeatable, testSeeds } from "../../../test/harness/seed";
import { seededRandom } from "../../runtime";
import { CLUSTER_LABELS } from "../kinds";
import { NODES, type Node } from "../native-resources";
import { NODE_OPTIONS } from "../node-options";

const NODE_COUNT = 500;
const PER_SECOND = 10_000;
const SECONDS = 60;
/** How long each of the other seeds floods, which draw the share of events that ask for a write. */
const SHORT_SECONDS = 5;
/** Seconds of the flood after which the process should have its size. */
const WARM_UP = 5;
const KEY = "cluster.fleetwright.dev/env";
let fixture: CoordinatorFixture;
let replicas: Replicas;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
  replicas = await Replicas.prepare(fixture);
  for (let index = 0; index < NODE_COUNT; index++)
    await fixture.direct.create(NODES, { metadata: { name: `node-${index}`, labels: { [KEY]: "dev" } } });
  await fixture.direct.create(CLUSTER_LABELS, {
    metadata: { name: "env" },
    spec: { key: "env", value: "dev" },
  });
}, 300_000);
afterAll(async () => {
  await replicas.close();
  await fixture.close();
});

// No API server on this machine makes ten thousand events a second: the proxy adds them to a real watch. Each is a node as
// the server has it, and one in five to fifteen has lost its label.
test.each(testSeeds(20))(
  `row 36, seed %i: with ${PER_SECOND} events a second keys are looked at once each time, memory is bounded, and a real change is soon seen`,
  (seed) => repeatable(seed, __filename, () => flood(seed)),
  300_000,
);

async function flood(seed: number): Promise<void> {
  const seconds = seed === 1 ? SECONDS : SHORT_SECONDS;
  const every = 5 + Math.floor(seededRandom(seed)() * 10);
  const { items } = await fixture.direct.request<{ items: Node[] }>({ method: "GET", path: "/api/v1/nodes" });
  let sent = 0;
  const line = (resourceVersion: string): string => {
    const node = items[sent % items.length];
    sent += 1;
    const labels = sent % every === 0 ? {} : { [KEY]: "dev" };
    const object = {
      ...node,
      kind: "Node",
      apiVersion: "v1",
      metadata: { ...node?.metadata, resourceVersion, labels },
    };
    return JSON.stringify({ type: "MODIFIED", object });
  };
  const events: Fault = { kind: "flood", perSecond: PER_SECOND, line };
  const { proxy, kubeconfig } = await replicas.proxied(({ path, query }) =>
    path === "/api/v1/nodes" && query.has("watch") ? events : undefined,
  );
  const port = await freePort();
  // A process of its own, as in its pod: the proxy, which makes the flood, has memory too.
  const replica = replicas.start(
    "one",
    ["--controllers=labels", "--qps=1000", "--burst=1000", `--port=${port}`],
    { kubeconfig, node: NODE_OPTIONS },
  );
  await replicas.leads("one");
  const depth = async (): Promise<number> => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(/^workqueue_depth\{name="labels-nodes"\} (\d+)$/m.exec(metrics)?.[1] ?? NaN);
  };
  // It begins with the first event of the server.
  await fixture.direct.create(NODES, { metadata: { name: `first-${seed}` } });
  await waitFor("the flood", () => sent > WARM_UP * PER_SECOND, 60_000);
  const atFirst = replica.resident();
  const from = { sent, at: performance.now() };
  let deepest = 0;
  let worstLag = 0;
  let most = atFirst;
  while (performance.now() - from.at < seconds * 1000) {
    deepest = Math.max(deepest, await depth());
    most = Math.max(most, replica.resident());
    // A real change, by the real server, in the midst of the flood.
    const name = `late-${seed}-${Math.round(performance.now())}`;
    const since = performance.now();
    await fixture.direct.create(NODES, { metadata: { name } });
    await waitFor(
      `the label on ${name}`,
      async () => (await fixture.direct.get(NODES, { name })).metadata.labels?.[KEY] === "dev",
      30_000,
    );
    worstLag = Math.max(worstLag, performance.now() - since);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  const rate = ((sent - from.sent) / (performance.now() - from.at)) * 1000;
  const writes = proxy.seen.filter(
    ({ method, path }) => method !== "GET" && path.startsWith("/api/v1/nodes/"),
  ).length;
  const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
  console.log(
    JSON.stringify({
      seed,
      eventsPerSecond: Math.round(rate),
      deepest,
      worstLagMs: Math.round(worstLag),
      residentMegabytes: { atFirst: megabytes(atFirst), most: megabytes(most) },
      writes,
      sent,
    }),
  );
  expect(rate).toBeGreaterThan(0.9 * PER_SECOND);
  expect(deepest).toBeLessThanOrEqual(items.length + SECONDS);
  expect(worstLag).toBeLessThan(5000);
  expect(most / atFirst).toBeLessThan(1.5);
  // A tenth of the events ask for a write; one write answers all that came for a node meanwhile.
  expect(writes).toBeLessThan(sent / every);
  await replica.kill();
  await replicas.freeLease();
  await proxy.stop();
}
