import {
  crashAtEveryWrite,
  quiet,
  startCoordinatorFixture,
  writesWithin,
  type CoordinatorFixture,
  type Running,
} from "../../../test/harness/coordinator";
import { waitFor, type FaultPlan } from "../../../test/harness/fault-proxy";
import { NAMESPACES, SERVICE_ACCOUNTS, type ServiceAccount } from "../native-resources";
import { isOwn, ownLabels } from "../../app/ownership";

let fixture: CoordinatorFixture;
let running: Running;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false } });
  running = await fixture.start({ controllers: "service-accounts" });
});
afterAll(() => fixture.close());

const find = (namespace: string): Promise<ServiceAccount | undefined> =>
  fixture.direct.get(SERVICE_ACCOUNTS, { namespace, name: "fleetwright" }).catch(() => undefined);
const appears = (namespace: string): Promise<ServiceAccount> =>
  waitFor(`the account in ${namespace}`, () => find(namespace)) as Promise<ServiceAccount>;

test("every namespace has it, also one that comes later", async () => {
  expect(isOwn(await appears("default"), "service-accounts")).toBe(true);
  await appears(await fixture.namespace());
});

test("it comes back when it is deleted, and its labels when they are changed", async () => {
  const name = await fixture.namespace();
  const first = await appears(name);
  await fixture.direct.delete(SERVICE_ACCOUNTS, first.metadata);
  const second = await waitFor("another account", async () => {
    const found = await find(name);
    return found?.metadata.uid === first.metadata.uid ? undefined : found;
  });
  expect(second).toBeDefined();
  await fixture.direct.patch(SERVICE_ACCOUNTS, first.metadata, {
    metadata: { ownerReferences: null, labels: { mine: "yes" } },
    imagePullSecrets: [{ name: "theirs" }],
  });
  await waitFor(
    "the owner to be back",
    async () => (await find(name))?.metadata.ownerReferences?.length === 1,
  );
  expect(await find(name)).toMatchObject({
    metadata: { labels: { mine: "yes" } },
    imagePullSecrets: [{ name: "theirs" }],
  });
});

test("a namespace can do without it, before and after", async () => {
  const without = await fixture.namespace({ "fleetwright.dev/service-account": "disabled" });
  const later = await fixture.namespace();
  await appears(later);
  await fixture.direct.patch(
    NAMESPACES,
    { name: later },
    { metadata: { labels: { "fleetwright.dev/service-account": "disabled" } } },
  );
  await waitFor("the account to go", async () => (await find(later)) === undefined);
  expect(await find(without)).toBeUndefined();
});

test("one that somebody else made is never taken over or deleted, until its labels say so", async () => {
  await running.stop();
  const name = await fixture.namespace();
  const theirs = await fixture.direct.create(SERVICE_ACCOUNTS, {
    metadata: { namespace: name, name: "fleetwright" },
  });
  running = await fixture.start({ controllers: "service-accounts" });
  await waitFor("a warning", () =>
    running.lines.some((line) => line.includes(`${name}/fleetwright is not managed by Fleetwright`)),
  );
  await fixture.direct.patch(
    NAMESPACES,
    { name },
    { metadata: { labels: { "fleetwright.dev/service-account": "disabled" } } },
  );
  await quiet(running);
  expect((await find(name))?.metadata).toEqual(theirs.metadata);
  await fixture.direct.patch(
    NAMESPACES,
    { name },
    { metadata: { labels: { "fleetwright.dev/service-account": null } } },
  );
  await fixture.direct.patch(SERVICE_ACCOUNTS, theirs.metadata, {
    metadata: {
      labels: {
        "app.kubernetes.io/managed-by": "fleetwright",
        "fleetwright.dev/controller": "service-accounts",
      },
    },
  });
  await waitFor(
    "it to be taken over",
    async () => (await find(name))?.metadata.ownerReferences?.length === 1,
  );
});

test("a namespace that is going away is left alone, without errors", async () => {
  const name = await fixture.namespace();
  await appears(name);
  await fixture.direct.patch(
    NAMESPACES,
    { name },
    { spec: { finalizers: ["kubernetes"] }, metadata: { finalizers: ["fleetwright.dev/test"] } },
  );
  await fixture.direct.delete(NAMESPACES, { name });
  await waitFor("its account to go", async () => (await find(name)) === undefined);
  await quiet(running);
  expect(running.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  await fixture.direct.patch(NAMESPACES, { name }, { metadata: { finalizers: null } });
});

test("a leader whose watch of namespaces is behind deletes no account from one that wants it again", async () => {
  await running.stop();
  const name = await fixture.namespace({ "fleetwright.dev/service-account": "disabled" });
  const isBehind: FaultPlan = ({ path, query }) =>
    path === "/api/v1/namespaces" && query.has("watch") ? { kind: "stall", afterBytes: 1 } : undefined;
  running = await fixture.start({ controllers: "service-accounts", plan: isBehind });
  const { proxy } = running;
  await waitFor("the watch", () => proxy.seen.some(({ fault }) => fault?.kind === "stall"));
  await fixture.direct.patch(
    NAMESPACES,
    { name },
    { metadata: { labels: { "fleetwright.dev/service-account": null } } },
  );
  // As the leader before made it.
  const made = await fixture.direct.create(SERVICE_ACCOUNTS, {
    metadata: { namespace: name, name: "fleetwright", labels: ownLabels("service-accounts") },
  });
  const asked = (): boolean =>
    proxy.seen.some(({ method, path }) => method === "GET" && path.endsWith(`/namespaces/${name}`));
  const deleted = (): boolean => proxy.seen.some(({ method }) => method === "DELETE");
  await waitFor("it to ask", () => asked() || deleted());
  proxy.plan = undefined;
  proxy.cutAll();
  // It learns of the label, and takes over what it would have deleted.
  await waitFor("the owner", async () => (await find(name))?.metadata.ownerReferences?.length === 1);
  expect((await find(name))?.metadata.uid).toBe(made.metadata.uid);
  expect(deleted()).toBe(false);
});

test("at rest nothing is written", async () => {
  await quiet(running);
  expect(await writesWithin(running, 3000)).toEqual([]);
});

test("whenever it dies, the next one gets there", async () => {
  await running.stop();
  const names = ["crash-a", "crash-b", "crash-c"];
  const label = async (value: string | null): Promise<void> => {
    const metadata = { labels: { "fleetwright.dev/service-account": value } };
    for (const name of names) await fixture.direct.patch(NAMESPACES, { name }, { metadata });
  };
  for (const name of names)
    await fixture.direct.create(NAMESPACES, {
      metadata: { name, labels: { "fleetwright.dev/service-account": "disabled" } },
    });
  const all = async (there: boolean): Promise<void> => {
    await waitFor("the accounts", async () =>
      (await Promise.all(names.map(find))).every((found) => (found !== undefined) === there),
    );
  };
  const options = { controllers: "service-accounts" };
  const deaths = await crashAtEveryWrite(fixture, options, {
    arrange: () => label(null),
    converged: () => all(true),
    restore: async () => {
      await label("disabled");
      await all(false);
    },
  });
  expect(deaths).toBeGreaterThanOrEqual(3);
  running = await fixture.start(options);
});

test("when the product's namespace goes, the accounts go with it, even if no coordinator runs", async () => {
  await running.stop();
  const name = await fixture.namespace();
  await waitFor("the default account", async () => await find("default"));
  await fixture.direct.delete(NAMESPACES, { name: fixture.home });
  await waitFor("the account to be collected", async () => (await find("default")) === undefined, 60_000);
  expect(await find(name)).toBeUndefined();
});
