// Rows of the fault matrix, twenty seeds each: people change what is declared and what came of it while requests fail; then
// the faults end, and an observer that asks the API server directly looks at what came of it.
import {
  quiet,
  startCoordinatorFixture,
  writesWithin,
  type CoordinatorFixture,
  type Running,
} from "../../test/harness/coordinator";
import { waitFor, type Fault, type FaultPlan } from "../../test/harness/fault-proxy";
import { repeatable, testSeeds } from "../../test/harness/seed";
import { isNotFound, seededRandom, type Random, type Resource } from "../runtime";
import { CLUSTER_LABELS, REGISTRIES } from "./kinds";
import { NAMESPACES, NODES, SECRETS, SERVICE_ACCOUNTS } from "./native-resources";

const CONTROLLERS = "service-accounts,registries,labels";
const SPACES = ["a", "b", "c", "d"].map((end) => `space-${end}`);
const HOSTS = ["node-a", "node-b", "node-c"];
const ACTIONS = 25;
/** How soon after the last fault all is as declared. */
const CONVERGED_MS = 30_000;
const PASSWORD = "correct-horse-battery";

let fixture: CoordinatorFixture;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
  const { direct, home } = fixture;
  for (const name of SPACES) await direct.create(NAMESPACES, { metadata: { name } });
  for (const name of HOSTS) await direct.create(NODES, { metadata: { name, labels: { theirs: "kept" } } });
  const data = { username: "YQ==", password: Buffer.from(PASSWORD).toString("base64") };
  await direct.create(SECRETS, { metadata: { namespace: home, name: "login" }, data });
  // Somebody else's, under the name that a copy would have.
  await direct.create(SECRETS, { metadata: { namespace: "default", name: "fleetwright-registry-seed" } });
}, 240_000);
afterAll(() => fixture.close());

const pick = <T>(random: Random, from: readonly T[]): T => {
  const found = from[Math.floor(random() * from.length)];
  if (found === undefined) throw new Error("There is nothing to pick from.");
  return found;
};

/** What goes wrong in a row, with the share of requests that it strikes. */
const ROWS: Readonly<
  Record<string, { what: string; plan?: (random: Random) => FaultPlan; dies?: boolean; writers?: number }>
> = {
  "5": {
    what: "watches are cut at any byte",
    plan: (random) =>
      ofWatches(random, () => ({
        kind: pick(random, ["cut", "truncate"] as const),
        afterBytes: 1 + Math.floor(random() * 4000),
        atByte: 1 + Math.floor(random() * 4000),
      })),
  },
  "6": {
    what: "410 Gone on watches",
    plan: (random) =>
      ofWatches(random, () =>
        pick(random, [
          { kind: "goneEvent", afterLines: 1 + Math.floor(random() * 5) },
          { kind: "status", code: 410 },
        ]),
      ),
  },
  "7": {
    what: "30 % of answers are 429 or 5xx",
    plan: (random) => () =>
      random() < 0.3
        ? { kind: "status", code: pick(random, [429, 500, 502, 503, 504]), retryAfter: "0.05" }
        : undefined,
  },
  "8": {
    what: "30 % of writes are done, but their answer is lost",
    plan:
      (random) =>
      ({ method }) =>
        method !== "GET" && random() < 0.3 ? { kind: "dropReply" } : undefined,
  },
  "9": {
    what: "a third of the answers takes up to two seconds",
    plan:
      (random) =>
      ({ query }) =>
        !query.has("watch") && random() < 0.33
          ? { kind: "delay", ms: Math.floor(random() * 2000) }
          : undefined,
  },
  "10": { what: "fifty others write the same objects", writers: 50 },
  "12": { what: "it dies before any of its writes", dies: true },
};

function ofWatches(random: Random, fault: () => Fault): FaultPlan {
  return ({ query }) => (query.has("watch") && random() < 0.5 ? fault() : undefined);
}

const declare = (resource: Resource, name: string, spec: object): Promise<unknown> =>
  fixture.direct.request({
    method: "POST",
    path: `/apis/fleetwright.dev/v1/${resource.plural}`,
    body: { apiVersion: "fleetwright.dev/v1", kind: resource.kind, metadata: { name }, spec },
  });
const gone = (resource: Resource, ref: { name: string; namespace?: string }): Promise<boolean> =>
  fixture.direct.get(resource, ref).then(
    () => false,
    (error: unknown) => isNotFound(error),
  );
const unlessGone = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });

/** One change by somebody, to what is declared or to what came of it. */
async function act(random: Random, seed: number): Promise<void> {
  const { direct } = fixture;
  const namespace = pick(random, SPACES);
  const copy = { namespace, name: "fleetwright-registry-seed" };
  const dice = random();
  if (dice < 0.2) await unlessGone(direct.delete(SECRETS, copy));
  else if (dice < 0.4)
    await unlessGone(direct.patch(SECRETS, copy, { data: { ".dockerconfigjson": "e30=" } }));
  else if (dice < 0.55) await unlessGone(direct.delete(SERVICE_ACCOUNTS, { namespace, name: "fleetwright" }));
  else if (dice < 0.75) {
    const labels = { "cluster.fleetwright.dev/env": pick(random, ["drift", null]) };
    await direct.patch(NODES, { name: pick(random, HOSTS) }, { metadata: { labels } });
  } else
    await direct.patch(
      CLUSTER_LABELS,
      { name: "seed" },
      { spec: { value: `v${seed}-${Math.floor(random() * 9)}` } },
    );
}

/** Fields of others, on the objects that are ours; each must still be there at the end. */
async function storm(writers: number, seed: number): Promise<void> {
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const annotations = { [`storm.example.com/w${writer}`]: String(seed) };
      await fixture.direct.patch(NODES, { name: "node-a" }, { metadata: { annotations } });
    }),
  );
}

/** Whether all is as declared; else what is not. */
async function difference(): Promise<string> {
  const { direct } = fixture;
  const { spec } = await direct.get(CLUSTER_LABELS, { name: "seed" });
  for (const name of HOSTS) {
    const { labels = {} } = (await direct.get(NODES, { name })).metadata;
    if (labels["cluster.fleetwright.dev/env"] !== spec.value || labels.theirs !== "kept")
      return `labels of ${name}`;
  }
  for (const namespace of SPACES) {
    const copy = await direct
      .get(SECRETS, { namespace, name: "fleetwright-registry-seed" })
      .catch(() => undefined);
    const config = Buffer.from(copy?.data?.[".dockerconfigjson"] ?? "", "base64").toString();
    if (!config.includes(PASSWORD)) return `the pull secret in ${namespace}`;
    const account = await direct
      .get(SERVICE_ACCOUNTS, { namespace, name: "fleetwright" })
      .catch(() => undefined);
    if (account?.imagePullSecrets?.length !== 1) return `the service account in ${namespace}`;
  }
  return "";
}

async function run(row: string, seed: number): Promise<void> {
  const random = seededRandom(seed * 7919 + Number(row));
  const { plan, dies = false, writers = 0 } = ROWS[row] ?? {};
  const { direct } = fixture;
  const theirs = await direct.get(SECRETS, { namespace: "default", name: "fleetwright-registry-seed" });
  let died = false;
  const die = (): never => {
    died = true;
    throw new Error("died at the failpoint");
  };
  const failpoint = dies ? { failpoint: { write: 1 + Math.floor(random() * 12), die } } : {};
  let running: Running = await fixture.start({
    controllers: CONTROLLERS,
    ...failpoint,
    ...(plan === undefined ? {} : { plan: plan(random) }),
  });
  try {
    await declare(REGISTRIES, "seed", {
      provider: "basic",
      endpoint: "registry.example.com",
      credentials: { name: "login" },
    });
    await declare(CLUSTER_LABELS, "seed", { key: "env", value: `v${seed}` });
    for (let count = 0; count < ACTIONS; count++) {
      await act(random, seed);
      if (count % 10 === 9 && plan !== undefined) running.proxy.cutAll();
      if (count === 12) await storm(writers, seed);
    }
    if (dies) {
      await waitFor("the death", () => died);
      await running.stop();
      running = await fixture.start({ controllers: CONTROLLERS });
    }
    running.proxy.plan = undefined;
    let last = "";
    await waitFor(
      "all to be as declared",
      async () => (last = await difference()) === "",
      CONVERGED_MS,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)} What is not: ${last}.`);
    });
    await quiet(running);
    expect(await writesWithin(running, 1500)).toEqual([]);
    const after = await direct.get(SECRETS, { namespace: "default", name: "fleetwright-registry-seed" });
    expect(after.metadata.resourceVersion).toBe(theirs.metadata.resourceVersion);
    if (writers > 0) {
      const { annotations = {} } = (await direct.get(NODES, { name: "node-a" })).metadata;
      const kept = Object.entries(annotations).filter(([key]) => key.startsWith("storm.example.com/"));
      expect(kept.filter(([, value]) => value === String(seed))).toHaveLength(writers);
    }
    expect(running.lines.filter((line) => line.includes(PASSWORD) || line.includes("This is a bug"))).toEqual(
      [],
    );
  } finally {
    running.proxy.plan = undefined;
    for (const resource of [REGISTRIES, CLUSTER_LABELS])
      await unlessGone(direct.delete(resource, { name: "seed" }));
    for (const resource of [REGISTRIES, CLUSTER_LABELS])
      await waitFor(`${resource.kind} to go`, () => gone(resource, { name: "seed" }));
    await running.stop();
  }
}

describe.each(Object.entries(ROWS).map(([row, { what }]) => ({ row, what })))(
  "row $row: while $what",
  ({ row }) => {
    test.each(testSeeds(20))(
      "seed %i: afterwards all is as declared, at rest, and what is not ours untouched",
      (seed) => repeatable(seed, __filename, () => run(row, seed)),
    );
  },
);
