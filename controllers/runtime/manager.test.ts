import { sharedKubeconfig } from "../../test/harness/controlplane";
import {
  CONFIG_MAPS,
  fixed,
  openFaultProxyFixture,
  SECRETS,
  waitFor,
  waitForRest,
  type DataObject,
  type FaultProxyFixture,
} from "../../test/harness/fault-proxy";
import { Applier, Finalizer, keepManagedFieldsOf, Logger, Manager, Recorder, refOf } from ".";
import { ApplyConflictError, deleteExactly } from "./apply";

let fixture: FaultProxyFixture;

beforeAll(async () => {
  fixture = await openFaultProxyFixture(sharedKubeconfig());
});

afterAll(async () => {
  await fixture.close();
});

const transform = keepManagedFieldsOf("fleetwright-copier");

async function startManager(identity: string): Promise<{
  manager: Manager;
  proxy: Awaited<ReturnType<FaultProxyFixture["proxy"]>>;
  stop: () => Promise<void>;
  lines: string[];
}> {
  const { namespace } = fixture;
  const proxy = await fixture.proxy();
  const credentials = fixed(proxy.url, fixture.authority);
  const lines: string[] = [];
  const manager = new Manager({
    credentials,
    log: new Logger({ write: (line) => lines.push(line) }),
    serve: { port: 0, host: "127.0.0.1" },
    leaderElection: {
      namespace,
      name: "copier",
      identity,
      leaseMs: 30_000,
      renewDeadlineMs: 20_000,
      retryMs: 500,
    },
  });
  const maps = manager.cache.informer(CONFIG_MAPS, { namespace, labelSelector: "copy=yes" });
  const copies = manager.cache.informer(SECRETS, { namespace, labelSelector: "copied=yes", transform });
  const applier = new Applier(manager.client, "fleetwright-copier");
  manager
    .controller({
      name: "copier",
      reconcile: async (key, { signal }) => {
        const source = maps.get(key);
        const live = copies.get(key);
        if (source === undefined) {
          if (live !== undefined) await deleteExactly(manager.client, SECRETS, live, signal);
          return undefined;
        }
        const metadata = { ...refOf(key), namespace, labels: { copied: "yes" } };
        const data = Object.fromEntries(
          Object.entries(source.data ?? {}).map(([name, text]) => [
            name,
            Buffer.from(text).toString("base64"),
          ]),
        );
        await applier.apply<DataObject>(SECRETS, { metadata, data }, { live, signal, force: true });
        return undefined;
      },
    })
    .watches(maps)
    .watches(copies);
  const end = new AbortController();
  const run = manager.run(end.signal);
  return {
    manager,
    proxy,
    lines,
    stop: () => {
      end.abort();
      return run;
    },
  };
}

const get = async (port: number | undefined, path: string): Promise<{ code: number; text: string }> => {
  const answer = await fetch(`http://127.0.0.1:${port ?? 0}${path}`);
  return { code: answer.status, text: await answer.text() };
};

test("a managed controller converges, is ready, serves its metrics, is idle at rest and shuts down in order", async () => {
  const { namespace } = fixture;
  const ref = { namespace, name: "source" };
  await fixture.direct.create(CONFIG_MAPS, {
    metadata: { ...ref, labels: { copy: "yes" } },
    data: { a: "1" },
  });
  const { manager, proxy, stop } = await startManager("one");
  const copy = async (): Promise<string | undefined> =>
    fixture.direct.get(SECRETS, ref).then(
      ({ data }) => Buffer.from(data?.a ?? "", "base64").toString(),
      () => undefined,
    );
  await waitFor("the copy", async () => (await copy()) === "1");
  await fixture.direct.patch(CONFIG_MAPS, ref, { data: { a: "2" } });
  await waitFor("the changed copy", async () => (await copy()) === "2");
  await fixture.direct.patch(SECRETS, ref, { data: { a: Buffer.from("drift").toString("base64") } });
  await waitFor("the drift to be healed", async () => (await copy()) === "2");
  await waitFor("ready", async () => (await get(manager.port, "/readyz")).code === 200);
  const metrics = await get(manager.port, "/metrics");
  expect(metrics.text).toMatch(/^controller_reconcile_total\{controller="copier",result="success"\} [1-9]/m);
  expect(metrics.text).toMatch(/^cache_objects\{resource="secrets",.*\} 1$/m);
  expect(metrics.text).toMatch(/^leader_election_master_status\{name="copier"\} 1$/m);
  expect((await get(manager.port, "/healthz")).code).toBe(200);
  expect((await get(manager.port, "/nowhere")).code).toBe(404);

  // At rest only the lease is renewed; the watches go on.
  const others = (): number => proxy.seen.filter(({ path }) => !path.includes("/leases/")).length;
  await waitForRest("requests other than for the lease to stop", others, 10_000);
  const renewals = proxy.seen.length;
  await waitFor("the lease to be renewed", () => proxy.seen.length > renewals + 2);

  await stop();
  const lease = await fixture.direct.get(
    { group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases", namespaced: true },
    { namespace, name: "copier" },
  );
  expect(lease).toMatchObject({ spec: { holderIdentity: "" } });
});

test("after a restart nothing is written again when nothing differs", async () => {
  const { proxy, manager, stop } = await startManager("two");
  await waitFor(
    "the leader to have worked",
    async () => (await manager.metrics.reconciles.value({ controller: "copier", result: "success" })) > 0,
  );
  const writes = proxy.seen.filter(({ method, path }) => method !== "GET" && !path.includes("/leases"));
  expect(writes).toEqual([]);
  await fixture.direct.delete(CONFIG_MAPS, { namespace: fixture.namespace, name: "source" });
  await waitFor("the copy to go", () =>
    fixture.direct.get(SECRETS, { namespace: fixture.namespace, name: "source" }).then(
      () => false,
      () => true,
    ),
  );
  await stop();
});

test("a conflict names each field, its manager and the way out; force takes over", async () => {
  const metadata = { namespace: fixture.namespace, name: "contested" };
  await new Applier(fixture.direct, "kubectl").apply(CONFIG_MAPS, {
    metadata,
    data: { a: "theirs", b: "theirs" },
  });
  const applier = new Applier(fixture.direct, "fleetwright-test");
  const error: unknown = await applier
    .apply(CONFIG_MAPS, { metadata, data: { a: "ours", b: "ours" } })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApplyConflictError);
  expect(error).toMatchObject({
    conflicts: [
      { field: ".data.a", manager: "kubectl" },
      { field: ".data.b", manager: "kubectl" },
    ],
  });
  expect(String(error)).toContain('.data.a is managed by "kubectl"');
  const { object } = await applier.apply(
    CONFIG_MAPS,
    { metadata, data: { a: "ours", b: "ours" } },
    { force: true },
  );
  expect(object.data).toEqual({ a: "ours", b: "ours" });
});

test("a delete does not touch another object of the same name", async () => {
  const metadata = { namespace: fixture.namespace, name: "reborn" };
  const first = await fixture.direct.create(CONFIG_MAPS, { metadata });
  await fixture.direct.delete(CONFIG_MAPS, metadata);
  const second = await fixture.direct.create(CONFIG_MAPS, { metadata });
  await deleteExactly(fixture.direct, CONFIG_MAPS, first);
  expect((await fixture.direct.get(CONFIG_MAPS, metadata)).metadata.uid).toBe(second.metadata.uid);
  await deleteExactly(fixture.direct, CONFIG_MAPS, second);
  await expect(fixture.direct.get(CONFIG_MAPS, metadata)).rejects.toMatchObject({ code: 404 });
});

test("an object goes only when all steps are done, in order", async () => {
  const metadata = { namespace: fixture.namespace, name: "finalized" };
  const done: string[] = [];
  let drained = false;
  const finalizer = new Finalizer(fixture.direct, CONFIG_MAPS, "fleetwright.dev/test", [
    {
      name: "drain",
      run: async () => (drained ? (done.push("drain"), "done") : { waitingFor: "pods", againAfterMs: 10 }),
    },
    { name: "detach", run: async () => (done.push("detach"), "done") },
  ]);
  const made = await fixture.direct.create(CONFIG_MAPS, {
    metadata: { ...metadata, finalizers: ["example.com/other"] },
  });
  await finalizer.ensure(made);
  await fixture.direct.delete(CONFIG_MAPS, metadata);
  const { signal } = new AbortController();
  const ending = await fixture.direct.get(CONFIG_MAPS, metadata);
  expect(await finalizer.finalize(ending, signal)).toMatchObject({
    finished: false,
    step: "drain",
    waitingFor: "pods",
  });
  expect(done).toEqual([]);
  drained = true;
  expect(await finalizer.finalize(ending, signal)).toEqual({ finished: true });
  expect(done).toEqual(["drain", "detach"]);
  expect((await fixture.direct.get(CONFIG_MAPS, metadata)).metadata.finalizers).toEqual([
    "example.com/other",
  ]);
  await fixture.direct.patch(CONFIG_MAPS, metadata, { metadata: { finalizers: null } });
});

test("events that repeat become one event with a count", async () => {
  const object = await fixture.direct.create(CONFIG_MAPS, {
    metadata: { namespace: fixture.namespace, name: "eventful" },
  });
  const recorder = new Recorder(fixture.direct, { controller: "fleetwright.dev/test", instance: "test" });
  const occurrence = {
    type: "Warning",
    reason: "PullFailed",
    action: "Pulling",
    note: "x".repeat(3000),
  } as const;
  for (let count = 0; count < 25; count++) recorder.record(CONFIG_MAPS, object, occurrence);
  recorder.record(CONFIG_MAPS, object, { ...occurrence, reason: "Other" });
  await recorder.flush();
  const { items } = await fixture.direct.request<{
    items: { reason: string; series?: { count: number }; regarding: { uid: string } }[];
  }>({
    method: "GET",
    path: `/apis/events.k8s.io/v1/namespaces/${fixture.namespace}/events`,
  });
  const ours = items.filter(({ regarding }) => regarding.uid === object.metadata.uid);
  expect(ours.map(({ reason, series }) => [reason, series?.count]).sort()).toEqual([
    ["Other", undefined],
    ["PullFailed", 25],
  ]);
});
