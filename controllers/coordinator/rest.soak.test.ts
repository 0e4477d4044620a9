import {
  isWrite,
  Replicas,
  requestCounts,
  requestsBetween,
  startCoordinatorFixture,
  sumOf,
  type CoordinatorFixture,
  type RequestKind,
} from "../../test/harness/coordinator";
import { waitFor } from "../../test/harness/fault-proxy";
import { type KubernetesObject, type Resource } from "../runtime";
import { CLUSTER_LABELS, NODE_POOL_LABELS, REGISTRIES, ROLES } from "./kinds";
import { NAMESPACES, NODES, SECRETS } from "./native-resources";

const NAMESPACE_COUNT = 1000;
const NODE_COUNT = 500;
/** Those of the cluster itself and the product's. */
const OTHER_NAMESPACES = 5;
const OURS =
  /^(namespaces|nodes|pods|secrets|serviceaccounts|cluster.*|node.*|registries|authorization.*|role.*)$/;
let fixture: CoordinatorFixture;
let replicas: Replicas;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
  replicas = await Replicas.prepare(fixture);
  await each(NAMESPACE_COUNT, (index) =>
    fixture.direct.create(NAMESPACES, { metadata: { name: `many-${index}` } }),
  );
  await each(NODE_COUNT, (index) =>
    fixture.direct.create(NODES, {
      metadata: { name: `node-${index}`, labels: { "fleetwright.dev/node-pool": `pool-${index % 5}` } },
    }),
  );
  await fixture.direct.create(SECRETS, {
    metadata: { namespace: fixture.home, name: "login" },
    data: { username: "YQ==", password: "Yg==" },
  });
}, 600_000);
afterAll(async () => {
  await replicas.close();
  await fixture.close();
});

async function each(count: number, make: (index: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += 16)
    await Promise.all(Array.from({ length: Math.min(16, count - from) }, (_, index) => make(from + index)));
}
const declare = (resource: Resource, name: string, spec: object): Promise<unknown> =>
  fixture.direct.request({
    method: "POST",
    path: `/apis/fleetwright.dev/v1/${resource.plural}`,
    body: { apiVersion: "fleetwright.dev/v1", kind: resource.kind, metadata: { name }, spec },
  });
const ready = (resource: Resource, name: string): Promise<unknown> =>
  waitFor(
    `${resource.kind} ${name} to be ready`,
    async () => {
      const found = await fixture.direct.get<
        KubernetesObject & { status?: { conditions?: { type: string; status: string }[] } }
      >(resource, { name });
      return found.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
    },
    300_000,
  );
/** What the API server was asked within a span, of what is chosen. */
async function askedWithin(ms: number, chosen: (kind: RequestKind) => boolean): Promise<Map<string, number>> {
  const before = await requestCounts(fixture.direct);
  await new Promise((resolve) => setTimeout(resolve, ms));
  return requestsBetween(before, await requestCounts(fixture.direct), chosen);
}
const basic = { provider: "basic", endpoint: "r.example.com", credentials: { name: "login" } };
// Besides leases, by which replicas tell that they live: neither a write, nor a list or a read of what we look after.
const disturbs = (kind: RequestKind): boolean =>
  isWrite(kind) || (["GET", "LIST"].includes(kind.verb) && OURS.test(kind.resource));
// The second replica may still be filling its caches when the first has done its work.
const quiet = (): Promise<unknown> =>
  waitFor("rest", async () => (await askedWithin(3000, disturbs)).size === 0, 120_000);

test("two replicas with a thousand namespaces, Registries, labels and roles ask the API server for nothing for a minute", async () => {
  replicas.start("one", ["--qps=1000", "--burst=1000"]);
  await replicas.leads("one");
  replicas.start("two", ["--qps=1000", "--burst=1000"]);
  await declare(REGISTRIES, "main", basic);
  await declare(CLUSTER_LABELS, "env", { key: "env", value: "dev" });
  for (let pool = 0; pool < 5; pool++)
    await declare(NODE_POOL_LABELS, `disk-${pool}`, { pool: `pool-${pool}`, key: "disk", value: "ssd" });
  await declare(ROLES, "reader", {
    rules: [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] }],
  });
  for (const [resource, name] of [
    [REGISTRIES, "main"],
    [CLUSTER_LABELS, "env"],
    [NODE_POOL_LABELS, "disk-4"],
    [ROLES, "reader"],
  ] as [Resource, string][])
    await ready(resource, name);
  await quiet();
  expect(Object.fromEntries(await askedWithin(60_000, disturbs))).toEqual({});
}, 900_000);

test("a new leader finds all in place and writes nothing", async () => {
  const before = await requestCounts(fixture.direct);
  await replicas.all[0]?.kill();
  await replicas.leads("two");
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const written = requestsBetween(before, await requestCounts(fixture.direct), isWrite);
  expect(Object.fromEntries(written)).toEqual({});
}, 120_000);

test("a leader that dies amid its work is followed by one that does the rest, and nothing twice", async () => {
  replicas.start("three", ["--qps=1000", "--burst=1000"]);
  const before = await requestCounts(fixture.direct);
  const made = ({ verb, resource, code }: RequestKind): boolean =>
    verb === "POST" && resource === "secrets" && code === "201";
  const done = async (): Promise<number> =>
    sumOf(requestsBetween(before, await requestCounts(fixture.direct), made));
  await declare(REGISTRIES, "second", basic);
  await waitFor("a third to be done", async () => (await done()) > NAMESPACE_COUNT / 3, 120_000);
  await replicas.all[1]?.kill();
  const atDeath = await done();
  expect(atDeath).toBeLessThan(NAMESPACE_COUNT);
  await ready(REGISTRIES, "second");
  await quiet();
  expect(await replicas.leader()).toMatch(/^three_/);
  expect(await done()).toBe(NAMESPACE_COUNT + OTHER_NAMESPACES);
  console.log(JSON.stringify({ secretsAtDeath: atDeath, secretsInAll: await done() }));
}, 600_000);
