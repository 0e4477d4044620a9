import { startControlPlane, type ControlPlane } from "../../sandbox/controlplane";
import {
  componentOf,
  CONFIG_MAPS,
  waitFor,
  type Component,
  type DataObject,
} from "../../test/harness/fault-proxy";
import { ApiClient, Informer, kubeconfigCredentials, Metrics } from ".";

// Rows 1 and 2 of the fault matrix with the times and repetitions that they name, and with the defaults that
// production has: what npm test shows in seconds must also hold for minutes.
const KILLS = 20;
const OUTAGES_SECONDS = [1, 30, 300];
const FREEZE_SECONDS = 60;
const NOTICE_SECONDS = 45;

let plane: ControlPlane;
let server: Component;
let writer: ApiClient;
const stop = new AbortController();
const runs: Promise<void>[] = [];
const clients: ApiClient[] = [];

beforeAll(async () => {
  plane = await startControlPlane({ components: { controllerManager: false, scheduler: false } });
  server = componentOf(plane, "kube-apiserver");
  writer = clientWith(new Metrics());
});

afterAll(async () => {
  stop.abort();
  await Promise.all(runs);
  for (const client of clients) client.close();
  server.end();
  await plane.stop();
});

function clientWith(metrics: Metrics): ApiClient {
  const client = new ApiClient(kubeconfigCredentials(plane.kubeconfig), { metrics });
  clients.push(client);
  return client;
}

async function follow(metrics: Metrics): Promise<Informer<DataObject>> {
  const informer = new Informer(clientWith(metrics), CONFIG_MAPS, { namespace: "default" });
  runs.push(informer.run(stop.signal));
  await informer.synced();
  return informer;
}

async function write(value: string): Promise<void> {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "soak" }, data: { value } };
  await waitFor(
    "a value to be written",
    () =>
      writer
        .request({
          method: "PATCH",
          path: "/api/v1/namespaces/default/configmaps/soak",
          query: { fieldManager: "test", force: true },
          contentType: "application/apply-patch+yaml",
          body,
        })
        .then(
          () => true,
          () => false,
        ),
    60_000,
  );
}

async function listsOf(metrics: Metrics): Promise<number> {
  const whys = ["first", "expired", "garbled", "rollback"];
  const counts = await Promise.all(whys.map((why) => metrics.lists.value({ resource: "configmaps", why })));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function sees(informer: Informer<DataObject>, value: string): Promise<void> {
  await waitFor(`${value} to be seen`, () => informer.get("default/soak")?.data?.value === value, 60_000);
}

async function outage(seconds: number, value: string, informer: Informer<DataObject>): Promise<void> {
  await server.kill();
  const until = performance.now() + seconds * 1000;
  await waitFor(`${seconds} s without a server`, () => performance.now() > until, seconds * 1000 + 5000);
  server.start();
  await write(value);
  await sees(informer, value);
}

for (const seconds of OUTAGES_SECONDS) {
  test(
    `row 1: after ${seconds} s without a server the watch goes on by itself, with at most one new list and few requests`,
    async () => {
      const metrics = new Metrics();
      const informer = await follow(metrics);
      await outage(seconds, `after ${seconds} s`, informer);
      expect(await listsOf(metrics)).toBeLessThanOrEqual(2);
      // Full jitter up to 30 s: some twenty attempts in five minutes, not hundreds.
      expect(await metrics.watchFailures.value({ resource: "configmaps" })).toBeLessThan(20 + seconds / 3);
    },
    (seconds + 180) * 1000,
  );
}

test(`row 1: ${KILLS} times in a row`, async () => {
  const metrics = new Metrics();
  const informer = await follow(metrics);
  const before = process.memoryUsage.rss();
  for (let count = 1; count <= KILLS; count++) await outage(0.2, `kill ${count}`, informer);
  expect(await listsOf(metrics)).toBeLessThanOrEqual(1 + KILLS);
  expect(process.memoryUsage.rss()).toBeLessThan(before * 1.2 + 50e6);
}, 1_200_000);

test(`row 2: a server that is frozen for ${FREEZE_SECONDS} s is noticed within ${NOTICE_SECONDS} s`, async () => {
  const metrics = new Metrics();
  const informer = await follow(metrics);
  const until = performance.now() + FREEZE_SECONDS * 1000;
  server.signal("SIGSTOP");
  try {
    await waitFor(
      "the dead connection to be noticed",
      () => informer.state.failure !== undefined,
      NOTICE_SECONDS * 1000,
    );
    await waitFor("the thaw", () => performance.now() > until, FREEZE_SECONDS * 1000);
  } finally {
    server.signal("SIGCONT");
  }
  await write("after the thaw");
  await sees(informer, "after the thaw");
}, 240_000);
