// Rows 13 to 15 of the fault matrix, twenty seeds each: an upgrade whose coordinator dies, whose pods will not go, or whose nodes come, go and
// fail. Nobody plays the kubelets: evicted pods stay until the test takes them away, and nodes are as ready as the test says.
import {
  AgentStandIn,
  startCoordinatorFixture,
  type CoordinatorFixture,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { repeatable, testSeeds } from "../../../test/harness/seed";
import {
  Informer,
  isNotFound,
  seededRandom,
  type KubernetesObject,
  type Random,
  type Resource,
} from "../../runtime";
import { UPGRADES, type UpgradeObject } from "../kinds";
import { NODES, type Node } from "../native-resources";
import { pick, unlessGone } from "../testing/declared-objects";
import { kubeletVersion } from "./versions";

const [FROM, TO] = ["v1.34.1+rke2r1", "v1.35.4+rke2r1"];
const PODS: Resource = { group: "", version: "v1", kind: "Pod", plural: "pods", namespaced: true };
let fixture: CoordinatorFixture;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
  const metadata = { namespace: "default", name: "default" };
  await fixture.direct.request({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts",
    body: { metadata },
  });
}, 240_000);
afterAll(() => fixture.close());

const upTo = (random: Random, limit: number): number => Math.floor(random() * limit);

async function setNode(name: string, ready: boolean, version?: string): Promise<void> {
  const status = {
    conditions: [{ type: "Ready", status: ready ? "True" : "False", reason: "Test" }],
    ...(version === undefined ? {} : { nodeInfo: { kubeletVersion: version } }),
  };
  await unlessGone(fixture.direct.patch(NODES, { name }, { status }, { subresource: "status" }));
}

async function addNode(name: string, pool = "one"): Promise<void> {
  await fixture.direct.create(NODES, {
    metadata: { name, labels: { pool, "kubernetes.io/hostname": name } },
  });
  await setNode(name, true, FROM);
}

async function addPod(name: string, nodeName: string, finalizers: string[]): Promise<void> {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "x", uid: "1", controller: true };
  await fixture.direct.request({
    method: "POST",
    path: "/api/v1/namespaces/default/pods",
    body: {
      metadata: { name, ownerReferences: [owner], finalizers },
      spec: { nodeName, containers: [{ name: "c", image: "example.com/x:1" }] },
    },
  });
}

const get = (name: string): Promise<UpgradeObject> => fixture.direct.get(UPGRADES, { name });

interface Play {
  random: Random;
  upgrade: string;
  nodes: string[];
  agent: AgentStandIn;
}

interface Row {
  what: string;
  spec?: (random: Random) => object;
  /** Before the upgrade is made. */
  prepare?: (play: Play) => Promise<void>;
  /** While it runs. */
  disturb?: (play: Play) => Promise<void>;
  /** How often a coordinator dies. */
  deaths?: number;
}

const ROWS: Readonly<Record<string, Row>> = {
  "13": { what: "the coordinator dies three times on the way", deaths: 3 },
  "14": {
    what: "pods do not end, or are held by a finalizer",
    spec: (random) => ({
      drain: { timeoutSeconds: 2, graceSeconds: 0, onTimeout: pick(random, ["Fail", "Proceed"]) },
    }),
    prepare: async ({ random, nodes, upgrade }) => {
      for (const node of nodes)
        if (random() < 0.5)
          await addPod(`${upgrade}-on-${node}`, node, random() < 0.5 ? ["example.com/keep"] : []);
    },
  },
  "15": {
    what: "nodes go, come, are relabelled and fail for a while",
    prepare: ({ nodes: [held = ""], agent }) => {
      agent.stuck.add(held);
      return Promise.resolve();
    },
    disturb: async ({ random, nodes, upgrade, agent }) => {
      // Its installer does not end before the rest is over: nodes that come after an upgrade are none of its business.
      const [held = ""] = nodes;
      for (let count = 0; count < 6; count++) {
        const name = pick(random, nodes.slice(1));
        const dice = random();
        if (dice < 0.25) await unlessGone(fixture.direct.delete(NODES, { name }));
        else if (dice < 0.5) {
          const added = `${upgrade}-late-${count}`;
          await addNode(added);
          nodes.push(added);
        } else if (dice < 0.75) {
          const labels = { pool: "two" };
          await unlessGone(fixture.direct.patch(NODES, { name }, { metadata: { labels } }));
        } else {
          await setNode(name, false);
          await new Promise((resolve) => setTimeout(resolve, upTo(random, 500)));
          await setNode(name, true);
        }
        await new Promise((resolve) => setTimeout(resolve, upTo(random, 300)));
      }
      agent.stuck.delete(held);
      await fixture.direct.patch(NODES, { name: held }, { metadata: { annotations: { released: "yes" } } });
    },
  },
};

async function run(number: string, row: Row, seed: number): Promise<void> {
  const random = seededRandom(seed * 6007 + Number(number));
  const { direct } = fixture;
  const upgrade = `row-${number}-${seed}`;
  const agent = new AgentStandIn(direct);
  const nodes: string[] = [];
  const play: Play = { random, upgrade, nodes, agent };
  const end = new AbortController();
  const seen = new Informer<Node>(direct, NODES);
  let most = 0;
  seen.onChange(() => {
    most = Math.max(most, seen.list().filter(({ spec }) => spec?.unschedulable === true).length);
  });
  const watching = seen.run(end.signal);
  let running = undefined as Awaited<ReturnType<CoordinatorFixture["start"]>> | undefined;
  try {
    const count = 3 + upTo(random, 4);
    for (let index = 0; index < count; index++) {
      nodes.push(`${upgrade}-${index}`);
      await addNode(`${upgrade}-${index}`);
    }
    await row.prepare?.(play);
    const maxUnavailable = 1 + upTo(random, 2);
    await direct.request({
      method: "POST",
      path: "/apis/fleetwright.dev/v1/clusterupgrades",
      body: {
        apiVersion: "fleetwright.dev/v1",
        kind: "ClusterUpgrade",
        metadata: { name: upgrade },
        spec: {
          version: TO,
          digest: `sha256:${"0".repeat(64)}`,
          maxUnavailable,
          onFailure: "Continue",
          nodeTimeoutSeconds: 900,
          nodeSelector: { matchLabels: { pool: "one" } },
          preflight: { skip: ["VersionSkew", "Agents", "BlockingPods", "NodeHealth"] },
          ...row.spec?.(random),
        },
      },
    });
    const over = async (): Promise<boolean> =>
      ["Succeeded", "Failed"].includes((await get(upgrade)).status?.phase ?? "");
    for (let death = 0; death < (row.deaths ?? 0); death++) {
      const fate = { dead: false };
      const die = (): never => {
        fate.dead = true;
        throw new Error("died at the failpoint");
      };
      const one = await fixture.start({
        controllers: "upgrades",
        failpoint: { write: 1 + upTo(random, 9), die },
      });
      await waitFor("death or the end", async () => fate.dead || (await over()), 60_000);
      await one.stop();
    }
    running = await fixture.start({ controllers: "upgrades" });
    await row.disturb?.(play);
    await waitFor("the upgrade to end", over, 90_000).catch(async (error: unknown) => {
      throw new Error(`${String(error)} ${JSON.stringify((await get(upgrade)).status)}`);
    });
    const { spec, status } = await get(upgrade);
    const failed = status?.nodes?.filter(({ phase }) => phase === "Failed").map(({ name }) => name) ?? [];
    if (number !== "14" || spec.drain.onTimeout === "Proceed") expect(failed).toEqual([]);
    const { items } = await direct.request<{ items: Node[] }>({ method: "GET", path: "/api/v1/nodes" });
    expect(items.filter((node) => node.spec?.unschedulable === true)).toEqual([]);
    const inPool = items.filter(({ metadata }) => metadata.labels?.pool === "one");
    const behind = inPool.filter((node) => kubeletVersion(node) !== TO).map(({ metadata }) => metadata.name);
    expect(behind.sort()).toEqual(failed.sort());
    expect(status).toMatchObject({
      total: inPool.length,
      done: inPool.length - failed.length,
      failed: failed.length,
    });
    expect(new Set(agent.upgraded).size).toBe(agent.upgraded.length);
    expect(most).toBeLessThanOrEqual(maxUnavailable);
    expect(running.lines.filter((line) => line.includes("This is a bug"))).toEqual([]);
  } finally {
    await running?.stop();
    await agent.stop();
    end.abort();
    await watching;
    const { items } = await direct.request<{ items: KubernetesObject[] }>({
      method: "GET",
      path: "/api/v1/namespaces/default/pods",
    });
    for (const { metadata } of items) {
      await unlessGone(direct.patch(PODS, metadata, { metadata: { finalizers: null } }));
      const path = `/api/v1/namespaces/default/pods/${metadata.name}?gracePeriodSeconds=0`;
      await direct.request({ method: "DELETE", path }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
    await direct.request({ method: "DELETE", path: "/api/v1/nodes" });
    await unlessGone(direct.patch(UPGRADES, { name: upgrade }, { metadata: { finalizers: null } }));
    await unlessGone(direct.delete(UPGRADES, { name: upgrade }));
  }
}

describe.each(Object.entries(ROWS).map(([row, { what }]) => ({ row, what })))(
  "row $row: while $what",
  ({ row }) => {
    test.each(testSeeds(20))(
      "seed %i: no node stays cordoned, none has its turn twice, never more at once than allowed, and all are counted",
      (seed) => repeatable(seed, __filename, () => run(row, ROWS[row] ?? { what: "" }, seed)),
    );
  },
);
