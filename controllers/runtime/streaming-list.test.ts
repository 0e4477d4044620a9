import { sharedKubeconfig } from "../../test/harness/controlplane";
import {
  CONFIG_MAPS,
  openFaultProxyFixture,
  waitFor,
  type DataObject,
  type FaultProxy,
  type FaultProxyFixture,
} from "../../test/harness/fault-proxy";
import { Informer, Metrics } from ".";

let fixture: FaultProxyFixture;
const stop = new AbortController();
const runs: Promise<void>[] = [];

beforeAll(async () => {
  fixture = await openFaultProxyFixture(sharedKubeconfig());
});

afterAll(async () => {
  stop.abort();
  await Promise.all(runs);
  await fixture.close();
});

async function make(names: readonly string[], label: string): Promise<void> {
  for (const name of names) {
    const metadata = { namespace: fixture.namespace, name, labels: { list: label } };
    await fixture.direct.create(CONFIG_MAPS, { metadata, data: { value: name } });
  }
}

function follow(
  proxy: FaultProxy,
  label: string,
  { metrics = new Metrics(), silenceMs = 60_000 } = {},
): Informer<DataObject> {
  const informer = new Informer(fixture.through(proxy, { metrics }), CONFIG_MAPS, {
    namespace: fixture.namespace,
    labelSelector: `list=${label}`,
    backoff: { baseMs: 10, capMs: 100 },
    silenceMs,
    streamingLists: true,
  });
  runs.push(informer.run(stop.signal));
  return informer;
}

const streamed = ({ query }: { query: URLSearchParams }): boolean => query.has("sendInitialEvents");
const paged = ({ query }: { query: URLSearchParams }): boolean => query.has("limit");

test("a list comes as the first events of the watch: one request in all, and later events by the same", async () => {
  await make(["one", "two"], "stream");
  const proxy = await fixture.proxy();
  const informer = follow(proxy, "stream");
  await informer.synced();
  expect(informer.size).toBe(2);
  await make(["three"], "stream");
  await waitFor("the third", () => informer.size === 3);
  expect(proxy.seen).toHaveLength(1);
  // The same object by a list in pages.
  const other = new Informer(fixture.direct, CONFIG_MAPS, {
    namespace: fixture.namespace,
    labelSelector: "list=stream",
    streamingLists: false,
  });
  runs.push(other.run(stop.signal));
  await other.synced();
  const byName = (list: DataObject[]): DataObject[] =>
    list.sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  expect(byName(other.list())).toEqual(byName(informer.list()));
});

test("a server that does not know streaming lists is asked once and then in pages", async () => {
  await make(["old-one", "old-two"], "old");
  const proxy = await fixture.proxy((request) =>
    streamed(request) ? { kind: "status", code: 422 } : undefined,
  );
  const informer = follow(proxy, "old");
  await informer.synced();
  expect(informer.size).toBe(2);
  proxy.plan = (request) => (streamed(request) ? { kind: "status", code: 422 } : undefined);
  proxy.cutAll();
  await make(["old-three"], "old");
  await waitFor("the third", () => informer.size === 3);
  expect(proxy.seen.filter(streamed)).toHaveLength(1);
});

for (const [how, fault] of [
  ["is cut half-way", { kind: "cut", afterBytes: 700 }],
  ["ends half-way", { kind: "truncate", atByte: 700 }],
  ["stalls half-way", { kind: "stall", afterBytes: 700 }],
  ["has a line that does not parse", { kind: "garble", afterLines: 1 }],
  ["ends because history is gone", { kind: "goneEvent", afterLines: 1 }],
] as const) {
  test(`a streamed list that ${how} notifies nobody, and the list is taken in pages`, async () => {
    const label = fault.kind.toLowerCase();
    await make([`${label}-one`, `${label}-two`, `${label}-three`], label);
    const proxy = await fixture.proxy((request) => (streamed(request) ? fault : undefined));
    const metrics = new Metrics();
    const informer = follow(proxy, label, { metrics, silenceMs: fault.kind === "stall" ? 2000 : 60_000 });
    const sizes: number[] = [];
    informer.onChange(() => sizes.push(informer.size));
    await informer.synced();
    expect(informer.size).toBe(3);
    expect(sizes).toEqual([3, 3, 3]);
    expect(proxy.seen.some(paged)).toBe(true);
    expect(await metrics.watchFailures.value({ resource: "configmaps" })).toBeGreaterThanOrEqual(1);
  });
}

test("what was deleted while history was lost is reported after a streamed list", async () => {
  await make(["stays", "goes"], "lost");
  const proxy = await fixture.proxy();
  const informer = follow(proxy, "lost");
  const deleted: string[] = [];
  informer.onChange(({ key, after }) => {
    if (after === undefined) deleted.push(key);
  });
  await informer.synced();
  proxy.plan = () => ({ kind: "status", code: 503 });
  proxy.cutAll();
  await waitFor("a refused attempt", () => proxy.seen.some(({ fault }) => fault !== undefined));
  await fixture.direct.delete(CONFIG_MAPS, { namespace: fixture.namespace, name: "goes" });
  const down = proxy.seen.length;
  let answers = 0;
  proxy.plan = ({ query }) =>
    query.has("watch") && answers++ === 0 ? { kind: "status", code: 410 } : undefined;
  await waitFor("the deletion", () => deleted.includes(`${fixture.namespace}/goes`));
  expect(proxy.seen.slice(down).some(streamed)).toBe(true);
  expect(informer.size).toBe(1);
});
