// What goes wrong in each row of the fault matrix that strikes a whole coordinator; docs/fault-matrix.md says where the others are.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CoordinatorFixture, Running, StartOptions } from "../../../test/harness/coordinator";
import { waitFor, type Component, type Fault, type FaultPlan } from "../../../test/harness/fault-proxy";
import { ApiError, systemClock, type Clock, type Random } from "../../runtime";
import { CLUSTER_LABELS } from "../kinds";
import { NAMESPACES, NODES, SERVICE_ACCOUNTS } from "../native-resources";
import { declare, pick, unlessGone } from "./declared-objects";

/** Where a strike takes place. */
export interface FaultRun {
  fixture: CoordinatorFixture;
  random: Random;
  seed: number;
  server: Component;
  etcd: Component;
  /** The coordinators that run now. */
  running: Running[];
  start: (options?: Partial<StartOptions>) => Promise<Running>;
}

/** One row. */
export interface Row {
  what: string;
  /** What goes wrong with requests as long as it lasts. */
  plan?: (random: Random) => FaultPlan;
  /** How the coordinator is started. */
  options?: (random: Random) => Partial<StartOptions>;
  /** It dies before one of its first twelve writes, and another takes its place. */
  dies?: boolean;
  /** How many others write to the same node. */
  writers?: number;
  /** What happens once, before anybody changes anything. Gives what ends it. */
  before?: (run: FaultRun) => Promise<() => Promise<void>>;
  /** What happens once, in the middle. */
  strike?: (run: FaultRun) => Promise<void>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const upTo = (random: Random, limit: number): number => Math.floor(random() * limit);

async function answers({ direct }: CoordinatorFixture): Promise<void> {
  await waitFor("the API server to answer", () =>
    direct.text({ method: "GET", path: "/readyz" }).then(
      (text) => text === "ok",
      () => false,
    ),
  );
}

function ofWatches(random: Random, fault: () => Fault): FaultPlan {
  return ({ query }) => (query.has("watch") && random() < 0.5 ? fault() : undefined);
}

/** A wall clock that is off, and jumps now and then; time that passes is as it is. */
function skewed(random: Random, most: number): Clock {
  const offsets = Array.from({ length: 20 }, () => (random() * 2 - 1) * most);
  const began = performance.now();
  return {
    ...systemClock,
    now: () => Date.now() + (offsets[Math.floor((performance.now() - began) / 700) % 20] ?? 0),
  };
}

/** Values that no field takes. Their texts are not those of our log. */
function malformed(random: Random): unknown {
  const odd: readonly (() => unknown)[] = [
    () => null,
    () => -1,
    () => 1e6,
    () => "\u0000\u2028 𝒳 \ud83d",
    () => "",
    () => [],
    () => ({ length: -1, toString: 5 }),
    () =>
      JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as unknown,
    () => [[[{ a: null }]]],
    () => true,
    () => "x".repeat(5000),
  ];
  const value = (): unknown => pick(random, odd)();
  const fields = [
    "key",
    "value",
    "provider",
    "endpoint",
    "credentials",
    "namespaceSelector",
    "serviceAccounts",
    "labels",
    "pool",
  ];
  return random() < 0.2
    ? value()
    : Object.fromEntries(fields.filter(() => random() < 0.6).map((field) => [field, value()]));
}

/** The rows, by their numbers. */
export const ROWS: Readonly<Record<string, Row>> = {
  "1": {
    what: "the API server is killed, and comes back after up to five seconds",
    strike: async ({ fixture, random, server }) => {
      await server.kill();
      await pause(upTo(random, 5000));
      server.start();
      await answers(fixture);
    },
  },
  "2": {
    what: "the API server is frozen for up to twelve seconds",
    strike: async ({ fixture, random, server }) => {
      server.signal("SIGSTOP");
      await pause(1000 + upTo(random, 11_000));
      server.signal("SIGCONT");
      await answers(fixture);
    },
  },
  "3": {
    what: "etcd is frozen, killed, or as slow as on a bad disk",
    strike: async ({ fixture, random, etcd }) => {
      const how = pick(random, ["frozen", "killed", "slow"] as const);
      if (how === "killed") {
        await etcd.kill();
        await pause(upTo(random, 3000));
        etcd.start();
      }
      for (let turn = 0; how !== "killed" && turn < (how === "slow" ? 12 : 1); turn++) {
        etcd.signal("SIGSTOP");
        await pause(how === "slow" ? 270 : 1000 + upTo(random, 5000));
        etcd.signal("SIGCONT");
        await pause(30);
      }
      await answers(fixture);
    },
  },
  "4": {
    what: "etcd is brought back to an older copy",
    before: async ({ fixture, server, etcd }) => {
      const copies = mkdtempSync(join(tmpdir(), "fleetwright-etcd-"));
      const data = etcd.flag("data-dir");
      await server.kill();
      await etcd.kill();
      cpSync(data, join(copies, "data"), { recursive: true });
      etcd.start();
      server.start();
      await answers(fixture);
      return async () => {
        await server.kill();
        await etcd.kill();
        rmSync(data, { recursive: true, force: true });
        cpSync(join(copies, "data"), data, { recursive: true });
        rmSync(copies, { recursive: true, force: true });
        etcd.start();
        server.start();
        await answers(fixture);
      };
    },
  },
  "5": {
    what: "watches are cut at any byte",
    plan: (random) =>
      ofWatches(random, () => ({
        kind: pick(random, ["cut", "truncate"] as const),
        afterBytes: 1 + upTo(random, 4000),
        atByte: 1 + upTo(random, 4000),
      })),
  },
  "6": {
    what: "410 Gone on watches",
    plan: (random) =>
      ofWatches(random, () =>
        pick(random, [
          { kind: "goneEvent", afterLines: 1 + upTo(random, 5) },
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
        !query.has("watch") && random() < 0.33 ? { kind: "delay", ms: upTo(random, 2000) } : undefined,
  },
  "10": { what: "fifty others write the same objects", writers: 50 },
  "11": {
    what: "two lead at once, one with a clock five minutes off",
    before: async ({ random, start }) => {
      await start({ clock: skewed(random, 300_000) });
      return () => Promise.resolve();
    },
  },
  "12": { what: "it dies before any of its writes", dies: true },
  "16": {
    what: "malformed objects of our kinds are made, which the API server has to refuse",
    strike: async ({ fixture: { direct }, random, seed }) => {
      for (let index = 0; index < 12; index++) {
        const [plural, kind] = pick(random, [
          ["clusterlabels", "ClusterLabel"],
          ["registries", "Registry"],
          ["nodepoollabels", "NodePoolLabel"],
          ["users", "User"],
          ["authorizationroles", "AuthorizationRole"],
        ] as const);
        const metadata = { name: `odd-${seed}-${index}` };
        const body = { apiVersion: "fleetwright.dev/v1", kind, metadata, spec: malformed(random) };
        const path = `/apis/fleetwright.dev/v1/${plural}`;
        const refused = await direct.request({ method: "POST", path, body }).then(
          () => false,
          (error: unknown) => error instanceof ApiError && [400, 422].includes(error.code),
        );
        if (!refused) throw new Error(`The API server took ${JSON.stringify(body)}.`);
      }
    },
  },
  "17": {
    what: "nodes with thousands of labels, and namespaces, accounts and Secrets as large as etcd takes them, come",
    before: async ({ fixture: { direct }, random, seed }) => {
      const labels = Object.fromEntries(
        Array.from({ length: 3000 + upTo(random, 7000) }, (_, index) => [`label-${index}`, String(index)]),
      );
      const name = `huge-${seed}`;
      await direct.create(NODES, { metadata: { name, labels } });
      await direct.create(NAMESPACES, {
        metadata: { name, annotations: { large: "é".repeat(50_000 + upTo(random, 70_000)) } },
      });
      await direct.create(SERVICE_ACCOUNTS, {
        metadata: { namespace: name, name: "default" },
        imagePullSecrets: Array.from({ length: 5000 }, (_, index) => ({ name: `theirs-${index}` })),
      });
      const secret = {
        metadata: { namespace: name, name: "large" },
        data: { value: "eHh4".repeat(240_000) },
      };
      await direct.request({ method: "POST", path: `/api/v1/namespaces/${name}/secrets`, body: secret });
      return async () => {
        await direct.delete(NODES, { name });
      };
    },
  },
  "19": {
    what: "all it asks is answered with 401, then with 403, for a while",
    strike: async ({ random, running }) => {
      for (const code of [401, 403]) {
        for (const { proxy } of running) {
          proxy.plan = () => ({ kind: "status", code });
          proxy.cutAll();
        }
        await pause(300 + upTo(random, 2500));
      }
      for (const { proxy } of running) proxy.plan = undefined;
    },
  },
  "27": {
    what: "namespaces go while Secrets are written to them",
    strike: async ({ fixture: { direct }, random, seed, running }) => {
      const from = running[0]?.lines.length ?? 0;
      const names = Array.from({ length: 4 }, (_, index) => `going-${seed}-${index}`);
      for (const name of names) {
        await direct.create(NAMESPACES, { metadata: { name } });
        await pause(upTo(random, 120));
        // Nobody here finishes its deletion: it stays on its way out.
        await direct.delete(NAMESPACES, { name });
      }
      await pause(500);
      const complaints = (running[0]?.lines.slice(from) ?? []).filter(
        (line) => line.includes('"level":"error"') && line.includes(`going-${seed}`),
      );
      // In row 38 something else goes wrong meanwhile, of which it may complain.
      if (running[0]?.proxy.plan === undefined && complaints.length > 0)
        throw new Error(`It complains of a namespace that goes: ${complaints.join("\n")}`);
      // As the namespace controller, which this control plane has not: first what is in them, then they.
      for (const name of names) {
        const inside = `/api/v1/namespaces/${name}`;
        await direct.request({ method: "DELETE", path: `${inside}/secrets` });
        await direct.request({ method: "DELETE", path: `${inside}/serviceaccounts` });
        await direct.request({
          method: "PUT",
          path: `/api/v1/namespaces/${name}/finalize`,
          body: { apiVersion: "v1", kind: "Namespace", metadata: { name }, spec: { finalizers: [] } },
        });
      }
    },
  },
  "28": {
    what: "parts of the API do not answer",
    before: async ({ fixture: { direct }, random, seed }) => {
      const at = "/apis/apiregistration.k8s.io/v1/apiservices";
      const names: string[] = [];
      for (let index = 0; index <= upTo(random, 3); index++) {
        const group = `broken-${seed}-${index}.example.com`;
        const service = { namespace: "default", name: "nobody", port: 443 };
        const spec = { group, version: "v1", service, groupPriorityMinimum: 100, versionPriority: 100 };
        await direct.request({ method: "POST", path: at, body: { metadata: { name: `v1.${group}` }, spec } });
        names.push(`v1.${group}`);
      }
      return async () => {
        for (const name of names) await direct.request({ method: "DELETE", path: `${at}/${name}` });
      };
    },
  },
  "29": {
    what: "its wall clock is up to an hour off, and jumps",
    options: (random) => ({ clock: skewed(random, 3_600_000) }),
  },
  "37": {
    what: "replicas are replaced one after another, two at once each time",
    strike: async ({ random, running, start }) => {
      for (let round = 0; round < 3; round++) {
        await start();
        await pause(upTo(random, 300));
        await running.shift()?.stop();
      }
    },
  },
};

/** The rows whose faults can be had one after another, at random: row 38. */
export const MIXED = ["1", "2", "3", "16", "19", "27", "37"] as const;
/** The rows whose faults strike requests, one of which may go on meanwhile. */
export const MIXED_PLANS = ["5", "6", "7", "8", "9"] as const;

/** A label that a person makes and takes back, which shows that a coordinator works. */
export async function works(fixture: CoordinatorFixture, name: string): Promise<void> {
  await declare(fixture, CLUSTER_LABELS, name, { key: name, value: "x" });
  const ref = { name: "node-a" };
  const labelled = async (): Promise<boolean> =>
    (await fixture.direct.get(NODES, ref)).metadata.labels?.[`cluster.fleetwright.dev/${name}`] === "x";
  await waitFor(`the label ${name}`, labelled, 90_000);
  await unlessGone(fixture.direct.delete(CLUSTER_LABELS, { name }));
  await waitFor(`the label ${name} to go`, async () => !(await labelled()), 90_000);
}
