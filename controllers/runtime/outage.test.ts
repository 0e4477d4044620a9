import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startControlPlane, type ControlPlane } from "../../sandbox/controlplane";
import { certificateFiles, layoutOf } from "../../sandbox/controlplane/layout";
import { ensureTools } from "../../sandbox/toolchain";
import {
  componentOf,
  CONFIG_MAPS,
  waitFor,
  type Component,
  type DataObject,
} from "../../test/harness/fault-proxy";
import { ApiClient, Informer, isExpired, kubeconfigCredentials, Metrics, type InformerOptions } from ".";

// These kill the server, so it is their own.
let plane: ControlPlane;
let writer: ApiClient;
const stop = new AbortController();
const runs: Promise<void>[] = [];
const clients: ApiClient[] = [];

let server: Component;
let etcd: Component;

function clientWith(metrics: Metrics): ApiClient {
  const client = new ApiClient(kubeconfigCredentials(plane.kubeconfig), {
    metrics,
    pingEveryMs: 500,
    pingTimeoutMs: 1500,
    timeoutMs: 3000,
  });
  clients.push(client);
  return client;
}

function follow(
  metrics: Metrics,
  options: InformerOptions<DataObject> = {},
  client = clientWith(metrics),
): Informer<DataObject> {
  const informer = new Informer(client, CONFIG_MAPS, {
    namespace: "default",
    backoff: { baseMs: 200, capMs: 2000 },
    ...options,
  });
  runs.push(informer.run(stop.signal));
  return informer;
}

async function put(name: string, value: string, client = writer): Promise<void> {
  await waitFor(`${name} to be written`, () =>
    client
      .request({
        method: "PATCH",
        path: `/api/v1/namespaces/default/configmaps/${name}`,
        query: { fieldManager: "test", force: true },
        contentType: "application/apply-patch+yaml",
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } },
      })
      .then(
        () => true,
        () => false,
      ),
  );
}

const valueOf = (informer: Informer<DataObject>, name: string): string | undefined =>
  informer.get(`default/${name}`)?.data?.value;
async function listsOf(metrics: Metrics): Promise<number> {
  const whys = ["first", "expired", "garbled", "rollback"];
  const counts = await Promise.all(whys.map((why) => metrics.lists.value({ resource: "configmaps", why })));
  return counts.reduce((sum, count) => sum + count, 0);
}

beforeAll(async () => {
  plane = await startControlPlane({ components: { controllerManager: false, scheduler: false } });
  server = componentOf(plane, "kube-apiserver");
  etcd = componentOf(plane, "etcd");
  writer = clientWith(new Metrics());
});

afterAll(async () => {
  stop.abort();
  await Promise.all(runs);
  for (const client of clients) client.close();
  server.end();
  etcd.end();
  await plane.stop();
});

test("row 1: after the API server was killed and came back, the watch goes on by itself with at most one new list", async () => {
  const metrics = new Metrics();
  const informer = follow(metrics);
  await informer.synced();
  await put("killed", "before");
  await waitFor("the first value", () => valueOf(informer, "killed") === "before");
  await server.kill();
  await waitFor("the failure to be reported", () => informer.state.failure !== undefined);
  server.start();
  await put("killed", "after");
  await waitFor("the value after the restart", () => valueOf(informer, "killed") === "after");
  expect(await listsOf(metrics)).toBeLessThanOrEqual(2);
  expect(informer.state.failure).toBeUndefined();
});

test("row 2: a frozen API server is noticed by its missing pings, and the watch goes on after the thaw", async () => {
  const metrics = new Metrics();
  const informer = follow(metrics);
  await informer.synced();
  await waitFor("the watch", async () => (await metrics.requests.value({ verb: "WATCH", code: 200 })) > 0);
  server.signal("SIGSTOP");
  try {
    await waitFor("the dead connection to be noticed", () => informer.state.failure !== undefined);
  } finally {
    server.signal("SIGCONT");
  }
  await put("frozen", "after");
  await waitFor("the value after the thaw", () => valueOf(informer, "frozen") === "after");
  expect(await listsOf(metrics)).toBeLessThanOrEqual(2);
});

test("row 3: while etcd is frozen or gone there is no hot loop, and afterwards all goes on", async () => {
  const metrics = new Metrics();
  const informer = follow(metrics, { watchSeconds: 1 });
  await informer.synced();
  const started = performance.now();
  const before = await total(metrics);
  // The length of the outage is an input: nothing is waited for.
  etcd.signal("SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, 4000));
  etcd.signal("SIGCONT");
  await etcd.kill();
  await new Promise((resolve) => setTimeout(resolve, 2000));
  etcd.start();
  expect(await requestRate(metrics, before, started)).toBeLessThan(5);
  await put("etcd", "after");
  await waitFor("the value after the return of etcd", () => valueOf(informer, "etcd") === "after");
});

test("row 3: while etcd answers only now and then, as on a disk that is far too slow, nothing is lost and nothing is asked in a hurry", async () => {
  const metrics = new Metrics();
  const informer = follow(metrics);
  await informer.synced();
  const started = performance.now();
  const before = await total(metrics);
  // A write that is given up begins anew; this client waits for as many turns of etcd as it takes.
  const patient = new ApiClient(kubeconfigCredentials(plane.kubeconfig), { timeoutMs: 50_000 });
  clients.push(patient);
  const slow = { on: true };
  // Stopped nine tenths of the time: each write waits for several such turns. (etcd is a static program, so no library
  // with a slow fdatasync can be put before it.)
  const stutter = (async () => {
    while (slow.on) {
      etcd.signal("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, 270));
      etcd.signal("SIGCONT");
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  })();
  try {
    for (let count = 0; count < 5; count++) await put("slow", `value ${count}`, patient);
    await waitFor("the last value", () => valueOf(informer, "slow") === "value 4");
  } finally {
    slow.on = false;
    await stutter;
  }
  expect(await requestRate(metrics, before, started)).toBeLessThan(5);
  expect(await listsOf(metrics)).toBeLessThanOrEqual(2);
}, 300_000);

async function etcdctl(...words: string[]): Promise<string> {
  const { etcdctl: tool } = await ensureTools(["etcdctl"]);
  const layout = layoutOf(plane.dir);
  const { certificate, key } = certificateFiles(layout, "apiserver-etcd-client");
  const access = [
    `--endpoints=${etcd.flag("listen-client-urls")}`,
    `--cacert=${certificateFiles(layout, "etcd-ca").certificate}`,
    `--cert=${certificate}`,
    `--key=${key}`,
  ];
  return (await promisify(execFile)(tool.path, [...access, ...words])).stdout;
}

async function compactEtcd(): Promise<void> {
  const status = await etcdctl("endpoint", "status", "--write-out=json");
  await etcdctl("compact", /"revision":(\d+)/.exec(status)?.[1] ?? "", "--physical");
}

for (const streamingLists of [true, false]) {
  test(`row 6: when etcd was compacted while the server was away, one new list ${streamingLists ? "as events" : "in pages"} reports what was deleted meanwhile`, async () => {
    const metrics = new Metrics();
    const informer = follow(metrics, { streamingLists });
    await informer.synced();
    await put("compacted-stays", "before");
    await put("compacted-goes", "before");
    await waitFor("both", () => valueOf(informer, "compacted-goes") === "before");
    const deleted: string[] = [];
    informer.onChange(({ key, after }) => {
      if (after === undefined) deleted.push(key);
    });
    const page = await writer.request<{ metadata: { continue: string } }>({
      method: "GET",
      path: "/api/v1/namespaces/default/configmaps",
      query: { limit: 1 },
    });
    // A server that starts after a compaction knows nothing of the time before.
    await server.kill();
    await waitFor("the failure to be reported", () => informer.state.failure !== undefined);
    await etcdctl("del", "/registry/configmaps/default/compacted-goes");
    await compactEtcd();
    server.start();
    await waitFor("the deletion to be reported", () => deleted.includes("default/compacted-goes"));
    await put("compacted-stays", "after");
    await waitFor("the new value", () => valueOf(informer, "compacted-stays") === "after");
    expect(await metrics.lists.value({ resource: "configmaps", why: "expired" })).toBe(1);
    expect(await listsOf(metrics)).toBe(2);
    const error: unknown = await writer
      .request({
        method: "GET",
        path: "/api/v1/namespaces/default/configmaps",
        query: { limit: 1, continue: page.metadata.continue },
      })
      .catch((reason: unknown) => reason);
    expect(isExpired(error)).toBe(true);
  });
}

test("row 4: when etcd is restored from an older copy, the cache is rebuilt from what the server has now", async () => {
  const data = etcd.flag("data-dir");
  const copies = mkdtempSync(join(tmpdir(), "fleetwright-etcd-"));
  await put("restored", "old");
  await server.kill();
  await etcd.kill();
  cpSync(data, join(copies, "data"), { recursive: true });
  etcd.start();
  server.start();
  for (let count = 0; count < 30; count++) await put("restored", `new ${count}`);
  await put("vanishes", "yes");
  const metrics = new Metrics();
  const client = clientWith(metrics);
  const informer = follow(metrics, {}, client);
  // This one asks so late that the server has gone past its place again.
  const late = follow(metrics, { backoff: { baseMs: 8000, capMs: 8000 }, random: () => 1 }, client);
  await Promise.all([informer.synced(), late.synced()]);
  for (const each of [informer, late]) expect(valueOf(each, "vanishes")).toBe("yes");
  await server.kill();
  await etcd.kill();
  rmSync(data, { recursive: true, force: true });
  cpSync(join(copies, "data"), data, { recursive: true });
  rmSync(copies, { recursive: true, force: true });
  etcd.start();
  server.start();
  await waitFor(
    "the cache to go back with the server",
    () => valueOf(informer, "restored") === "old" && valueOf(informer, "vanishes") === undefined,
  );
  for (let count = 0; count < 40; count++) await put("restored", `again ${count}`);
  for (const each of [informer, late])
    await waitFor(
      "new values to be seen",
      () => valueOf(each, "restored") === "again 39" && valueOf(each, "vanishes") === undefined,
    );
});

async function requestRate(metrics: Metrics, before: number, started: number): Promise<number> {
  return ((await total(metrics)) - before) / ((performance.now() - started) / 1000);
}

async function total(metrics: Metrics): Promise<number> {
  return (await metrics.render())
    .split("\n")
    .filter((line) => line.startsWith("rest_client_requests_total"))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}
