// What Registries cost in watches, and what happens when a watch is behind.
import {
  startCoordinatorFixture,
  type CoordinatorFixture,
  type Running,
} from "../../../test/harness/coordinator";
import { waitFor, type FaultPlan } from "../../../test/harness/fault-proxy";
import { isNotFound } from "../../runtime";
import { REGISTRIES } from "../kinds";
import { NAMESPACES, SECRETS } from "../native-resources";
import { ownLabels } from "../../app/ownership";
import { CONTROLLER, REGISTRY } from "./pull-secret";

let fixture: CoordinatorFixture;
let running: Running;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
});
afterAll(() => fixture.close());
afterEach(() => running.stop());

const OPTIONS = { controllers: "registries" };
const source = (name: string): Promise<unknown> =>
  fixture.direct.create(SECRETS, {
    metadata: { namespace: fixture.home, name },
    data: { username: "YQ==", password: "Yg==" },
  });
const declare = (name: string, secret: string): Promise<unknown> =>
  fixture.direct.request({
    method: "POST",
    path: "/apis/fleetwright.dev/v1/registries",
    body: {
      apiVersion: "fleetwright.dev/v1",
      kind: "Registry",
      metadata: { name },
      spec: { provider: "basic", endpoint: "registry.example.com", credentials: { name: secret } },
    },
  });
const readyReason = async (name: string): Promise<string | undefined> =>
  (await fixture.direct.get(REGISTRIES, { name })).status?.conditions?.find(({ type }) => type === "Ready")
    ?.reason;
const isGone = (name: string): Promise<boolean> =>
  fixture.direct.get(REGISTRIES, { name }).then(
    () => false,
    (error: unknown) => isNotFound(error),
  );

/** Watches of Secrets that the API server serves now, whoever opened them. */
async function secretWatches(): Promise<number> {
  const text = await fixture.direct.text({ method: "GET", path: "/metrics" });
  const lines = text
    .split("\n")
    .filter(
      (line) => line.startsWith("apiserver_longrunning_requests{") && line.includes('resource="secrets"'),
    );
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

test("a Registry that goes, or names another Secret, gives up the watch of the one that it named", async () => {
  await source("shared");
  for (let count = 0; count < 8; count++) await source(`own-${count}`);
  running = await fixture.start(OPTIONS);
  await declare("stays", "shared");
  await waitFor("stays", async () => (await readyReason("stays")) === "InPlace");
  const before = await secretWatches();
  for (let round = 0; round < 2; round++) {
    const names = Array.from({ length: 8 }, (_, count) => `own-${count}`);
    for (const name of names) await declare(name, name);
    for (const name of names)
      await waitFor(`${name} in round ${round}`, async () => (await readyReason(name)) === "InPlace");
    await waitFor("a watch for each", async () => (await secretWatches()) === before + 8);
    for (const name of names.slice(0, 4))
      await fixture.direct.patch(REGISTRIES, { name }, { spec: { credentials: { name: "shared" } } });
    await waitFor("the watches of four to end", async () => (await secretWatches()) === before + 4);
    for (const name of names) {
      await fixture.direct.patch(
        REGISTRIES,
        { name },
        { metadata: { annotations: { "fleetwright.dev/allow-deletion": "true" } } },
      );
      await fixture.direct.delete(REGISTRIES, { name });
    }
    for (const name of names) await waitFor(`${name} to go`, () => isGone(name));
    await waitFor("the watches of all to end", async () => (await secretWatches()) === before);
  }
  // The one that is shared is still heard of.
  await fixture.direct.delete(SECRETS, { namespace: fixture.home, name: "shared" });
  await waitFor("it to be missed", async () =>
    (await fixture.direct.get(REGISTRIES, { name: "stays" })).status?.conditions?.some(
      ({ reason }) => reason === "SecretMissing",
    ),
  );
});

const behind: FaultPlan = ({ path, query }) =>
  path === "/apis/fleetwright.dev/v1/registries" && query.has("watch")
    ? { kind: "stall", afterBytes: 1 }
    : undefined;

test("a leader whose watch of Registries is behind deletes no copy of one that it does not know of yet", async () => {
  await source("late");
  running = await fixture.start({ ...OPTIONS, plan: behind });
  const { proxy } = running;
  await waitFor("the watch", () => proxy.seen.some(({ fault }) => fault?.kind === "stall"));
  await declare("late", "late");
  // As the leader before left it.
  const namespace = await fixture.namespace();
  const copy = { namespace, name: "fleetwright-registry-late" };
  const { metadata } = await fixture.direct.create(SECRETS, {
    metadata: { ...copy, labels: ownLabels(CONTROLLER), annotations: { [REGISTRY]: "late" } },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": "e30=" },
  });
  const asked = (): number =>
    proxy.seen.filter(({ method, path }) => method === "GET" && path.endsWith("/registries/late")).length;
  const deleted = (): boolean =>
    proxy.seen.some(({ method, path }) => method === "DELETE" && path.includes("/secrets/"));
  await waitFor("it to ask, again and again", () => asked() > 1 || deleted());
  expect(deleted()).toBe(false);
  // Once it knows, the copy is taken over and not made again.
  proxy.plan = undefined;
  proxy.cutAll();
  await waitFor("late", async () => (await readyReason("late")) === "InPlace");
  expect((await fixture.direct.get(SECRETS, copy)).metadata.uid).toBe(metadata.uid);
  expect(deleted()).toBe(false);
});

test("a leader whose watch of namespaces is behind deletes no copy from one that wants it again", async () => {
  const namespace = await fixture.namespace({ "fleetwright.dev/registries": "disabled" });
  const stale: FaultPlan = ({ path, query }) =>
    path === "/api/v1/namespaces" && query.has("watch") ? { kind: "stall", afterBytes: 1 } : undefined;
  running = await fixture.start({ ...OPTIONS, plan: stale });
  const { proxy } = running;
  await waitFor("the watch", () => proxy.seen.some(({ fault }) => fault?.kind === "stall"));
  await fixture.direct.patch(
    NAMESPACES,
    { name: namespace },
    { metadata: { labels: { "fleetwright.dev/registries": null } } },
  );
  const copy = { namespace, name: "fleetwright-registry-late" };
  await fixture.direct.create(SECRETS, {
    metadata: { ...copy, labels: ownLabels(CONTROLLER), annotations: { [REGISTRY]: "late" } },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": "e30=" },
  });
  const asked = (): number =>
    proxy.seen.filter(({ method, path }) => method === "GET" && path.endsWith(`/namespaces/${namespace}`))
      .length;
  const deleted = (): boolean =>
    proxy.seen.some(({ method, path }) => method === "DELETE" && path.includes("/secrets/"));
  await waitFor("it to ask, again and again", () => asked() > 1 || deleted());
  expect(deleted()).toBe(false);
});
