import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { sharedKubeconfig } from "../../test/harness/controlplane";
import {
  CONFIG_MAPS,
  fixed,
  openFaultProxyFixture,
  SECRETS,
  waitFor,
  FaultProxy,
  type DataObject,
  type FaultProxyFixture,
} from "../../test/harness/fault-proxy";
import { repeatable, testSeed } from "../../test/harness/seed";
import { certifiedKey, daysFromNow } from "../../sandbox/controlplane/certificate";
import {
  ApiClient,
  Applier,
  Controller,
  Informer,
  isConflict,
  kubeconfigCredentials,
  Metrics,
  seededRandom,
  type InformerOptions,
  type KubernetesObject,
  type Resource,
} from ".";

/** Decides where faults strike, and how long each waits before it tries again. */
const seed = testSeed();
const random = seededRandom(seed);
let fixture: FaultProxyFixture;
let dir: string;
const stop = new AbortController();
const runs: Promise<void>[] = [];

beforeAll(async () => {
  fixture = await openFaultProxyFixture(sharedKubeconfig());
  dir = await mkdtemp(join(tmpdir(), "fleetwright-runtime-"));
});

afterAll(async () => {
  stop.abort();
  await Promise.all(runs);
  await fixture.close();
  await rm(dir, { recursive: true, force: true });
});

// In pages, so that a list and a watch are requests that a plan of faults can tell apart; streaming-list.test.ts has the
// other way, model.test.ts both.
const QUICK = {
  backoff: { baseMs: 10, capMs: 100 },
  silenceMs: 1000,
  watchSeconds: 60,
  streamingLists: false,
};

function follow<T extends KubernetesObject>(
  client: ApiClient,
  resource: Resource<T>,
  options: InformerOptions<T> = {},
): Informer<T> {
  const informer = new Informer(client, resource, {
    namespace: fixture.namespace,
    ...QUICK,
    random,
    ...options,
  });
  runs.push(informer.run(stop.signal));
  return informer;
}

async function put(
  name: string,
  data: Record<string, string>,
  labels: Record<string, string> = {},
): Promise<DataObject> {
  const metadata = { namespace: fixture.namespace, name, labels };
  return fixture.direct.request<DataObject>({
    method: "PATCH",
    path: `/api/v1/namespaces/${fixture.namespace}/configmaps/${name}`,
    query: { fieldManager: "test", force: true },
    contentType: "application/apply-patch+yaml",
    body: { apiVersion: "v1", kind: "ConfigMap", metadata, data },
  });
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") Reflect.apply(collect, undefined, []);
}

const keyFor = (name: string): string => `${fixture.namespace}/${name}`;
const isWatch = ({ query }: { query: URLSearchParams }): boolean => query.has("watch");

test("row 5: a watch that is cut at any byte applies no half line and loses nothing", () =>
  repeatable(seed, __filename, cutAtAnyByte));

async function cutAtAnyByte(): Promise<void> {
  const CUTS = 8;
  const proxy = await fixture.proxy((request) =>
    isWatch(request) ? { kind: "cut", afterBytes: 1 + Math.floor(random() * 800) } : undefined,
  );
  const informer = follow(fixture.through(proxy), CONFIG_MAPS, { labelSelector: "row=five" });
  await informer.synced();
  let value = 0;
  // Only what a watch sends cuts it, and a new watch follows every cut: written until it was cut often enough.
  await waitFor(`${CUTS} cuts`, async () => {
    await put("cut", { value: String(++value) }, { row: "five" });
    return proxy.seen.filter(isWatch).length > CUTS;
  });
  proxy.plan = undefined;
  await waitFor("the last value", () => informer.get(keyFor("cut"))?.data?.value === String(value));
  const lists = proxy.seen.filter((request) => !isWatch(request) && request.query.get("limit") !== "1");
  expect(lists).toHaveLength(1);
}

test("row 5: a line that does not parse leads to a new list", async () => {
  const metrics = new Metrics();
  const proxy = await fixture.proxy();
  const relisted = (): boolean => proxy.seen.filter((request) => !isWatch(request)).length > 1;
  proxy.plan = (request) => (isWatch(request) && !relisted() ? { kind: "garble", afterLines: 1 } : undefined);
  const informer = follow(fixture.through(proxy, { metrics }), CONFIG_MAPS, { labelSelector: "row=garble" });
  await informer.synced();
  let value = 0;
  await waitFor("a new list", async () => {
    await put("garbled", { value: String(++value) }, { row: "garble" });
    return (await metrics.lists.value({ resource: "configmaps", why: "garbled" })) > 0;
  });
  await waitFor("the last value", () => informer.get(keyFor("garbled"))?.data?.value === String(value));
});

for (const [how, fault] of [
  ["as an answer", { kind: "status", code: 410 }],
  ["as an event in the stream", { kind: "goneEvent", afterLines: 1 }],
] as const) {
  test(`row 6: 410 Gone ${how} leads to a new list that reports what was deleted meanwhile`, async () => {
    const label = fault.kind === "status" ? "gone-answer" : "gone-event";
    await put(`${label}-stays`, {}, { row: label });
    await put(`${label}-goes`, {}, { row: label });
    const proxy = await fixture.proxy();
    const informer = follow(fixture.through(proxy), CONFIG_MAPS, { labelSelector: `row=${label}` });
    const deleted: string[] = [];
    informer.onChange(({ key, after }) => {
      if (after === undefined) deleted.push(key);
    });
    await informer.synced();
    await waitFor("the watch", () => proxy.seen.some(isWatch));
    // While the watch is down, one object goes: only a list can show it, because the history is "gone".
    proxy.plan = () => ({ kind: "status", code: 503 });
    proxy.cutAll();
    await waitFor("a refused attempt", () => proxy.seen.some(({ fault: found }) => found?.kind === "status"));
    await fixture.direct.delete(CONFIG_MAPS, { namespace: fixture.namespace, name: `${label}-goes` });
    await put(`${label}-stays`, { value: "after" }, { row: label });
    const down = proxy.seen.length;
    const relisted = (): boolean =>
      proxy.seen.slice(down).some((request) => !isWatch(request) && request.query.get("limit") === "1000");
    // The fault stays until it had its effect: a watch may end for another reason before it meets it.
    proxy.plan = (request) => (isWatch(request) && !relisted() ? fault : undefined);
    await waitFor("a new list", relisted);
    await waitFor("the deletion", () => deleted.includes(keyFor(`${label}-goes`)));
    await waitFor("the new value", () => informer.get(keyFor(`${label}-stays`))?.data?.value === "after");
  });
}

test("row 6: 410 Gone on a continue token is answered by taking the list in one piece", async () => {
  for (let index = 0; index < 7; index++) await put(`page-${index}`, {}, { row: "pages" });
  const proxy = await fixture.proxy(({ query }) =>
    query.has("continue") ? { kind: "status", code: 410 } : undefined,
  );
  const informer = follow(fixture.through(proxy), CONFIG_MAPS, { labelSelector: "row=pages", pageSize: 3 });
  await informer.synced();
  expect(informer.size).toBe(7);
});

test("row 7: Retry-After is obeyed by requests and by the cache", async () => {
  const proxy = await fixture.proxy();
  const client = fixture.through(proxy, { rateLimit: {} });
  let refusals = 0;
  proxy.plan = () => (refusals++ === 0 ? { kind: "status", code: 429, retryAfter: "1" } : undefined);
  await client.get(CONFIG_MAPS, {
    namespace: fixture.namespace,
    name: (await put("retry", {})).metadata.name,
  });
  const [first, second] = proxy.seen;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);

  const other = await fixture.proxy();
  let watches = 0;
  other.plan = (request) =>
    isWatch(request) && watches++ === 0 ? { kind: "status", code: 503, retryAfter: "1" } : undefined;
  const informer = follow(fixture.through(other), CONFIG_MAPS, { labelSelector: "row=retry" });
  await informer.synced();
  await waitFor("the second watch", () => other.seen.filter(isWatch).length >= 2);
  const [refused, again] = other.seen.filter(isWatch);
  expect((again?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(990);
});

test("row 7: with 30 % of answers being 429 or 5xx the cache converges", () =>
  repeatable(seed, __filename, oftenRefused));

async function oftenRefused(): Promise<void> {
  const codes = [500, 502, 503, 504, 429];
  const proxy = await fixture.proxy(() =>
    random() < 0.3 ? { kind: "status", code: codes[Math.floor(random() * 5)] ?? 500 } : undefined,
  );
  const informer = follow(fixture.through(proxy), CONFIG_MAPS, {
    labelSelector: "row=seven",
    watchSeconds: 1,
    pageSize: 2,
  });
  for (let index = 0; index < 10; index++) await put(`seven-${index}`, {}, { row: "seven" });
  await waitFor("ten objects", () => informer.size === 10);
}

test("row 8: what was committed although the reply was lost is neither made twice nor lost", async () => {
  const proxy = await fixture.proxy();
  let drops = 0;
  proxy.plan = ({ method }) => (method !== "GET" && drops++ < 3 ? { kind: "dropReply" } : undefined);
  const client = fixture.through(proxy);
  const applier = new Applier(client, "fleetwright-test");
  const metadata = { namespace: fixture.namespace, name: "committed" };
  const controller = new Controller({
    name: "committed",
    backoff: { baseMs: 5, capMs: 20 },
    reconcile: async (_key, { signal }) => {
      await applier.apply(CONFIG_MAPS, { metadata, data: { value: "once" } }, { signal });
      return undefined;
    },
  });
  const end = new AbortController();
  const run = controller.run(end.signal);
  controller.queue.add("committed");
  await waitFor("the end of retries", () => drops >= 4 && controller.queue.failures("committed") === 0);
  end.abort();
  await run;
  const found = await fixture.direct.get(CONFIG_MAPS, metadata);
  expect(found.data).toEqual({ value: "once" });
  // The first apply made it; the repeated ones changed nothing, so the server kept its first version.
  expect(found.metadata.managedFields).toHaveLength(1);
  expect(found.metadata.generation ?? 1).toBe(1);
});

test("row 9: a slow server does not starve the cache of a fast one", async () => {
  await put("latency", {}, { row: "nine" });
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const slow = await fixture.proxy(() => ({ kind: "hold", until: released }));
  const thin = await fixture.proxy(() => ({ kind: "slow", bytesPerSecond: 10_000 }));
  const fast = await fixture.proxy();
  const behind = [slow, thin].map((proxy) =>
    follow(fixture.through(proxy), CONFIG_MAPS, { labelSelector: "row=nine", silenceMs: 20_000 }),
  );
  const informer = follow(fixture.through(fast), CONFIG_MAPS, { labelSelector: "row=nine" });
  await informer.synced();
  expect(behind[0]?.hasSynced).toBe(false);
  await put("latency", { value: "new" }, { row: "nine" });
  await waitFor("the fast one", () => informer.get(keyFor("latency"))?.data?.value === "new");
  expect(behind[0]?.hasSynced).toBe(false);
  release();
  await waitFor("the slow ones", () =>
    behind.every((each) => each.get(keyFor("latency"))?.data?.value === "new"),
  );
});

test("row 10: fifty writers on one object keep each other's fields, with a bounded number of attempts", async () => {
  const metadata = { namespace: fixture.namespace, name: "storm" };
  await put("storm", { owner: "somebody else" });
  const WRITERS = 50;
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, index) => {
      const applier = new Applier(fixture.direct, `fleetwright-writer-${index}`);
      for (let attempt = 1; ; attempt++) {
        try {
          await applier.apply(CONFIG_MAPS, { metadata, data: { [`field-${index}`]: String(index) } });
          return;
        } catch (error) {
          // A conflict means that another writer got through, which each does once.
          if (!isConflict(error) || attempt >= WRITERS) throw error;
        }
      }
    }),
  );
  const { data } = await fixture.direct.get(CONFIG_MAPS, metadata);
  expect(Object.keys(data ?? {})).toHaveLength(WRITERS + 1);
  expect(data?.owner).toBe("somebody else");
});

test("row 16: malformed objects are seen as they are and harm no other", async () => {
  const widgets = await fixture.widgets();
  const odd: Record<string, unknown>[] = [
    JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as Record<
      string,
      unknown
    >,
    { replicas: 1e6, negative: -1, text: "\u0000\u2028 𝒳 \ud83d\ude00", deep: [[[{ a: null }]]] },
    { hasOwnProperty: "not a function", toString: 5, length: -1 },
  ];
  const informer = follow(fixture.direct, widgets);
  const failed: string[] = [];
  const reconciled = new Set<string>();
  const controller = new Controller({
    name: "odd",
    reconcile: async (key) => {
      if (key.endsWith("odd-1")) {
        failed.push(key);
        throw new TypeError("spec.replicas is 1000000: at most 1000");
      }
      reconciled.add(key);
      return undefined;
    },
  }).watches(informer);
  const end = new AbortController();
  const run = controller.run(end.signal);
  for (const [index, spec] of odd.entries()) {
    const metadata = { namespace: fixture.namespace, name: `odd-${index}` };
    await fixture.direct.create(widgets, { metadata, spec });
  }
  await waitFor("all to be seen", () => informer.size === odd.length);
  await waitFor("the others to be reconciled", () => reconciled.size === 2 && failed.length > 1);
  end.abort();
  await run;
  expect(Object.hasOwn({}, "polluted") || Reflect.has({}, "polluted")).toBe(false);
  expect(Object.hasOwn(informer.get(keyFor("odd-0"))?.spec ?? {}, "__proto__")).toBe(true);
  expect(informer.get(keyFor("odd-1"))?.spec).toEqual(odd[1]);
});

test("row 17: objects as large as etcd takes them and with ten thousand labels pass by list and by watch", async () => {
  const proxy = await fixture.proxy();
  const options = { labelSelector: "row=huge", silenceMs: 20_000 };
  const informer = follow(fixture.through(proxy), CONFIG_MAPS, options);
  await informer.synced();
  const labels = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`label-${index}`, String(index)]),
  );
  await fixture.direct.create(CONFIG_MAPS, {
    metadata: { namespace: fixture.namespace, name: "huge", labels: { row: "huge" } },
    // A ConfigMap may have a mebibyte of data.
    data: { value: "é".repeat(524_000) },
  });
  await fixture.direct.create(CONFIG_MAPS, {
    metadata: { namespace: fixture.namespace, name: "labels", labels: { ...labels, row: "huge" } },
  });
  await waitFor("both by watch", () => informer.size === 2);
  expect(informer.get(keyFor("huge"))?.data?.value).toHaveLength(524_000);
  for (const streamingLists of [true, false]) {
    const again = follow(fixture.direct, CONFIG_MAPS, { ...options, streamingLists });
    await again.synced();
    expect(again.get(keyFor("huge"))).toEqual(informer.get(keyFor("huge")));
    expect(again.get(keyFor("labels"))).toEqual(informer.get(keyFor("labels")));
  }
});

test("row 17: an object of 1.4 MB that changes again and again takes the room of one", async () => {
  const widgets = await fixture.widgets();
  const informer = follow(fixture.direct, widgets, { silenceMs: 20_000 });
  await informer.synced();
  const metadata = { namespace: fixture.namespace, name: "large" };
  await fixture.direct.create(widgets, { metadata, spec: { text: "x".repeat(1_400_000), turn: 0 } });
  await waitFor("the object", () => informer.get(keyFor("large")) !== undefined);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let turn = 1; turn <= 15; turn++) await fixture.direct.patch(widgets, metadata, { spec: { turn } });
  await waitFor("the last turn", () => informer.get(keyFor("large"))?.spec?.turn === 15);
  // Fifteen copies would be 21 MB.
  await waitFor("the old copies to be collected", () => {
    collectGarbage();
    return process.memoryUsage().heapUsed - before < 14e6;
  });
});

test("row 17: 150,000 objects by one list are kept, handed out and taken away without a stack overflow", async () => {
  const server = http.createServer((_request, response) => {
    const items = Array.from(
      { length: 150_000 },
      (_, index) => `{"metadata":{"name":"n-${index}","uid":"${index}","resourceVersion":"1"}}`,
    );
    response.end(`{"metadata":{"resourceVersion":"5"},"items":[${items.join(",")}]}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const client = new ApiClient(fixed(`http://127.0.0.1:${port}`, ""));
  const end = new AbortController();
  const informer = new Informer(client, SECRETS, QUICK);
  informer.addIndex("all", () => ["all"]);
  let changes = 0;
  informer.onChange(() => (changes += 1));
  const run = informer.run(end.signal);
  await informer.synced();
  expect([informer.size, informer.list().length, informer.byIndex("all", "all").length, changes]).toEqual([
    150_000, 150_000, 150_000, 150_000,
  ]);
  end.abort();
  await run;
  client.close();
  server.closeAllConnections();
  server.close();
});

async function serviceAccountToken(name: string): Promise<string> {
  const accounts = {
    group: "",
    version: "v1",
    kind: "ServiceAccount",
    plural: "serviceaccounts",
    namespaced: true,
  };
  await fixture.direct.create(accounts, { metadata: { namespace: fixture.namespace, name } });
  const answer = await fixture.direct.request<{ status: { token: string } }>({
    method: "POST",
    path: `/api/v1/namespaces/${fixture.namespace}/serviceaccounts/${name}/token`,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } },
  });
  return answer.status.token;
}

test("row 19: a rotated token is read again without a restart; 401 and 403 are reported and do not lead to a storm", async () => {
  const { server, tls } = await kubeconfigCredentials(sharedKubeconfig()).current();
  const tokenFile = join(dir, "token");
  const caFile = join(dir, "ca.crt");
  await writeFile(caFile, tls.ca ?? "");
  await writeFile(tokenFile, "a token that nobody knows");
  const kubeconfig = join(dir, "token.kubeconfig");
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server, "certificate-authority": caFile } }],
      users: [{ name: "u", user: { "auth-provider": { name: "tokenFile", config: { tokenFile } } } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  );
  const metrics = new Metrics();
  const client = new ApiClient(kubeconfigCredentials(kubeconfig), { metrics });
  const began = performance.now();
  const informer = follow(client, CONFIG_MAPS, { backoff: { baseMs: 100, capMs: 500 }, random: () => 0.5 });
  await waitFor("401 to be reported", () => informer.state.failure?.message.includes("401"));
  const token = await serviceAccountToken("reader");
  await writeFile(tokenFile, token);
  await waitFor("403 to be reported", () => informer.state.failure?.message.includes("403"));
  expect(JSON.stringify(informer.state)).not.toContain(token.slice(-20));
  const rbac = { group: "rbac.authorization.k8s.io", version: "v1", namespaced: true };
  await fixture.direct.create({ ...rbac, kind: "RoleBinding", plural: "rolebindings" }, {
    metadata: { namespace: fixture.namespace, name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: "reader", namespace: fixture.namespace }],
  } as KubernetesObject);
  await informer.synced();
  // With these "random" numbers attempts are 50, 100, 200 and from then on 250 ms apart. Each is at most two requests,
  // since the token is read again after a 401.
  const attempts = 5 + (performance.now() - began) / 250;
  expect(await metrics.requests.value({ verb: "GET", code: 401 })).toBeLessThanOrEqual(2 * attempts);
  client.close();
});

async function serve(options: {
  notAfter?: Date;
  notBefore?: Date;
  ip?: string;
  port?: number;
}): Promise<{ proxy: FaultProxy; ca: string }> {
  const upstream = await kubeconfigCredentials(sharedKubeconfig()).current();
  const certificate = await certifiedKey({
    subject: { commonName: "fault-proxy" },
    usages: ["serverAuth", "digitalSignature"],
    names: { ips: [options.ip ?? "127.0.0.1"] },
    notBefore: options.notBefore ?? new Date(Date.now() - 3_600_000),
    notAfter: options.notAfter ?? daysFromNow(1),
  });
  const proxy = await FaultProxy.start({ upstream, certificate, port: options.port ?? 0 });
  return { proxy, ca: certificate.certificate };
}

test("row 20: an expired, foreign or misnamed server certificate is reported clearly", async () => {
  const path = "/version";
  const expired = await serve({ notAfter: new Date(Date.now() - 60_000) });
  const misnamed = await serve({ ip: "127.0.0.9" });
  const good = await serve({});
  const ask = async (url: string, ca: string): Promise<string> => {
    const client = new ApiClient(fixed(url, ca));
    return client
      .request({ method: "GET", path })
      .then(
        () => "no error",
        (error: unknown) => String(error),
      )
      .finally(() => client.close());
  };
  expect(await ask(expired.proxy.url, expired.ca)).toContain("the server's certificate has expired");
  expect(await ask(misnamed.proxy.url, misnamed.ca)).toContain(
    "the server's certificate is for another name",
  );
  expect(await ask(good.proxy.url, misnamed.ca)).toMatch(
    /not signed by the given authority|signed by itself/,
  );
  expect(await ask(good.proxy.url, good.ca)).toBe("no error");
  await Promise.all([expired, misnamed, good].map(({ proxy }) => proxy.stop()));
});

test("row 20: the cache recovers when the authority file is renewed, without a restart", async () => {
  const { proxy, ca } = await serve({});
  const { ca: foreign } = await serve({}).then(async (other) => {
    await other.proxy.stop();
    return other;
  });
  const caFile = join(dir, "rotating-ca.crt");
  await writeFile(caFile, foreign);
  const kubeconfig = join(dir, "ca.kubeconfig");
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server: proxy.url, "certificate-authority": caFile } }],
      users: [{ name: "u", user: {} }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  );
  const client = new ApiClient(kubeconfigCredentials(kubeconfig));
  const informer = follow(client, CONFIG_MAPS);
  await waitFor("the failure to be reported", () => informer.state.failure?.message.includes("certificate"));
  expect(informer.hasSynced).toBe(false);
  await writeFile(caFile, ca);
  await informer.synced();
  client.close();
  await proxy.stop();
});
