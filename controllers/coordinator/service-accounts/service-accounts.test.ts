import {
  crashAtEveryWrite,
  quiet,
  startWorld,
  writesWithin,
  type CoordinatorWorld,
  type Running,
} from "../../../test/coordinator";
import { waitFor } from "../../../test/fault-proxy";
import { NAMESPACES, SERVICE_ACCOUNTS, type ServiceAccount } from "../native";
import { isOwn } from "../ownership";

let world: CoordinatorWorld;
let running: Running;

beforeAll(async () => {
  world = await startWorld({ components: { scheduler: false } });
  running = await world.start({ controllers: "service-accounts" });
}, 180_000);
afterAll(() => world.close());

const find = (namespace: string): Promise<ServiceAccount | undefined> =>
  world.direct.get(SERVICE_ACCOUNTS, { namespace, name: "fleetwright" }).catch(() => undefined);
const appears = (namespace: string): Promise<ServiceAccount> =>
  waitFor(`the account in ${namespace}`, () => find(namespace)) as Promise<ServiceAccount>;

test("every namespace has it, also one that comes later", async () => {
  expect(isOwn(await appears("default"), "service-accounts")).toBe(true);
  await appears(await world.namespace());
});

test("it comes back when it is deleted, and its labels when they are changed", async () => {
  const name = await world.namespace();
  const first = await appears(name);
  await world.direct.delete(SERVICE_ACCOUNTS, first.metadata);
  const second = await waitFor("another account", async () => {
    const found = await find(name);
    return found?.metadata.uid === first.metadata.uid ? undefined : found;
  });
  expect(second).toBeDefined();
  await world.direct.patch(SERVICE_ACCOUNTS, first.metadata, {
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
  const without = await world.namespace({ "fleetwright.dev/service-account": "disabled" });
  const later = await world.namespace();
  await appears(later);
  await world.direct.patch(
    NAMESPACES,
    { name: later },
    { metadata: { labels: { "fleetwright.dev/service-account": "disabled" } } },
  );
  await waitFor("the account to go", async () => (await find(later)) === undefined);
  expect(await find(without)).toBeUndefined();
});

test("one that somebody else made is never taken over or deleted, until its labels say so", async () => {
  await running.stop();
  const name = await world.namespace();
  const theirs = await world.direct.create(SERVICE_ACCOUNTS, {
    metadata: { namespace: name, name: "fleetwright" },
  });
  running = await world.start({ controllers: "service-accounts" });
  await waitFor("a warning", () =>
    running.lines.some((line) => line.includes(`${name}/fleetwright was made by somebody else`)),
  );
  await world.direct.patch(
    NAMESPACES,
    { name },
    { metadata: { labels: { "fleetwright.dev/service-account": "disabled" } } },
  );
  await quiet(running);
  expect((await find(name))?.metadata).toEqual(theirs.metadata);
  await world.direct.patch(
    NAMESPACES,
    { name },
    { metadata: { labels: { "fleetwright.dev/service-account": null } } },
  );
  await world.direct.patch(SERVICE_ACCOUNTS, theirs.metadata, {
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
  const name = await world.namespace();
  await appears(name);
  await world.direct.patch(
    NAMESPACES,
    { name },
    { spec: { finalizers: ["kubernetes"] }, metadata: { finalizers: ["fleetwright.dev/test"] } },
  );
  await world.direct.delete(NAMESPACES, { name });
  await waitFor("its account to go", async () => (await find(name)) === undefined);
  await quiet(running);
  expect(running.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  await world.direct.patch(NAMESPACES, { name }, { metadata: { finalizers: null } });
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
    for (const name of names) await world.direct.patch(NAMESPACES, { name }, { metadata });
  };
  for (const name of names)
    await world.direct.create(NAMESPACES, {
      metadata: { name, labels: { "fleetwright.dev/service-account": "disabled" } },
    });
  const all = async (there: boolean): Promise<void> => {
    await waitFor("the accounts", async () =>
      (await Promise.all(names.map(find))).every((found) => (found !== undefined) === there),
    );
  };
  const options = { controllers: "service-accounts" };
  const deaths = await crashAtEveryWrite(world, options, {
    arrange: () => label(null),
    converged: () => all(true),
    restore: async () => {
      await label("disabled");
      await all(false);
    },
  });
  expect(deaths).toBeGreaterThanOrEqual(3);
  running = await world.start(options);
}, 180_000);

test("when the product's namespace goes, the accounts go with it, even if no coordinator runs", async () => {
  await running.stop();
  const name = await world.namespace();
  await waitFor("the default account", async () => await find("default"));
  await world.direct.delete(NAMESPACES, { name: world.home });
  await waitFor("the account to be collected", async () => (await find("default")) === undefined, 60_000);
  expect(await find(name)).toBeUndefined();
}, 90_000);
