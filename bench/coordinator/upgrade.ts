// Upgrades of many nodes: ours, ours when it is killed on the way, and the same steps on client-go.
import { UPGRADES } from "../../controllers/coordinator/kinds";
import { NODES } from "../../controllers/coordinator/native-resources";
import type { KubernetesObject } from "../../controllers/runtime";
import { waitFor } from "../../lib/deadline";
import { AgentStandIn, WITHOUT_UPGRADE } from "../../test/harness/coordinator";
import { atLeast, atMost, type Benchmark, median, round } from "../benchmark";
import { stillMachine } from "../still-machine";
import { type Contender, TITLES } from "./contender";
import { sizesOf } from "./settings";
import { declare, forEach, freeLease, withBenchmarkFixture, retract, type BenchmarkFixture } from "./fixture";
import { type Observed, UpgradeObserver } from "./upgrade-observer";

const [FROM, TO] = ["v1.34.1+rke2r1", "v1.35.4+rke2r1"];
const REPLICAS = 20;
/** Pods of an application that its budget lets go at once. */
const SPARE = 2;
const PATIENCE_MS = 600_000;

/** Who goes through the nodes; "killed" is ours with its process killed on the way. */
const RUNS = ["clientGo", "ours", "killed"] as const;
type Run = (typeof RUNS)[number];

interface Measured extends Observed {
  seconds: number;
  /** Nodes that are still cordoned when all are done. */
  leftCordoned: number;
}

/** An upgrade of five hundred nodes under budgets, by ours, by ours when it is killed on the way, and by client-go. */
export const upgrade: Benchmark = {
  describes:
    "an upgrade of 500 nodes with PodDisruptionBudgets beside client-go: nodes a minute, violations, a kill; and one of 2,000",

  async run(signal, say, args) {
    const sizes = sizesOf(args, { nodes: 500, applications: 25, atOnce: 25, rounds: 1, many: 2000 });
    const few = await measure(sizes, RUNS, signal, say);
    // On a control plane of its own, and with as many nodes at once as may be.
    const large = { ...sizes, nodes: sizes.many, atOnce: 50, rounds: 1 };
    const many = await measure(large, ["ours"], signal, say);
    return outcome(sizes, few, many.ours[0]);
  },

  plots(figures) {
    const value = (name: string): number => Number(figures[name]);
    return [
      {
        title: `An upgrade of ${value("nodes")} nodes with ${value("pods").toLocaleString("en")} pods under budgets, ${value("nodesAtOnce")} nodes at once`,
        unit: "nodes a minute",
        values: [
          ["ours", value("oursNodesPerMinute")],
          ["ours, killed on the way", value("killedNodesPerMinute")],
          ["client-go", value("clientGoNodesPerMinute")],
        ],
      },
    ];
  },
};

type Sizes = Record<"nodes" | "applications" | "atOnce" | "rounds", number>;

/** Makes a control plane with nodes and applications, and takes the runs in turn. */
async function measure(
  sizes: Sizes,
  runs: readonly Run[],
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<Record<Run, Measured[]>> {
  const options = { nodes: sizes.nodes, timeoutMs: 360_000 };
  return withBenchmarkFixture(options, signal, say, async (fixture) => {
    say(`deploying ${sizes.applications} applications of ${REPLICAS} pods on ${sizes.nodes} nodes`);
    const names = Array.from({ length: sizes.applications }, (_, index) => `app-${index}`);
    await forEach(names, (name) => deploy(fixture, name));
    const observer = new UpgradeObserver(fixture.cluster.direct, REPLICAS - SPARE);
    try {
      const measured: Record<Run, Measured[]> = { clientGo: [], ours: [], killed: [] };
      for (let turn = 1; turn <= sizes.rounds; turn++)
        for (const run of runs) {
          await stillMachine(signal, say);
          measured[run].push(await oneRun(fixture, observer, run, turn, sizes));
        }
      return measured;
    } finally {
      await observer.stop();
    }
  });
}

async function deploy({ cluster }: BenchmarkFixture, name: string): Promise<void> {
  const selector = { matchLabels: { app: name } };
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: "c", image: "example.com/x:1" }] },
  };
  const make = (path: string, apiVersion: string, kind: string, spec: object): Promise<unknown> =>
    cluster.direct.request({ method: "POST", path, body: { apiVersion, kind, metadata: { name }, spec } });
  await make("/apis/apps/v1/namespaces/default/deployments", "apps/v1", "Deployment", {
    replicas: REPLICAS,
    selector,
    template,
  });
  await make("/apis/policy/v1/namespaces/default/poddisruptionbudgets", "policy/v1", "PodDisruptionBudget", {
    selector,
    minAvailable: REPLICAS - SPARE,
  });
}

async function nodeNames({ cluster }: BenchmarkFixture): Promise<string[]> {
  const { items } = await cluster.direct.request<{ items: KubernetesObject[] }>({
    method: "GET",
    path: "/api/v1/nodes",
  });
  return items.map(({ metadata }) => metadata.name);
}

async function oneRun(
  fixture: BenchmarkFixture,
  observer: UpgradeObserver,
  run: Run,
  turn: number,
  { nodes, atOnce }: Record<"nodes" | "atOnce", number>,
): Promise<Measured> {
  const { cluster, contenders, signal, say } = fixture;
  const status = { nodeInfo: { kubeletVersion: FROM } };
  await forEach(await nodeNames(fixture), async (name) => {
    // Nothing of the run before: a coordinator would take back its orders, and be busy with that.
    await cluster.direct.patch(NODES, { name }, WITHOUT_UPGRADE);
    await cluster.direct.patch(NODES, { name }, { status }, { subresource: "status" });
  });
  await waitFor("all pods to be healthy", () => observer.fewestHealthy === REPLICAS, {
    timeoutMs: 180_000,
    signal,
  });
  await observer.begin();
  const agent = new AgentStandIn(cluster.direct);
  let contender: Contender | undefined;
  const name = `${run.toLowerCase()}-${turn}`;
  try {
    // Agents ask this object what to do. Nobody but the reference works on it: no coordinator runs meanwhile.
    if (run === "clientGo") await declare(fixture, UPGRADES, name, specOf(atOnce));
    const { uid = "" } = run === "clientGo" ? (await cluster.direct.get(UPGRADES, { name })).metadata : {};
    const from = performance.now();
    if (run === "clientGo") {
      const flags = ["--workers", String(atOnce), "--version", TO, "--upgrade", name, "--uid", uid];
      contender = contenders.clientGo("upgrade", ...flags);
      await contender.ended;
      if (!contender.said.includes('"upgraded"')) throw new Error(`The reference failed: ${contender.said}`);
    } else {
      contender = contenders.ours("upgrades");
      await contender.ready();
      await declare(fixture, UPGRADES, name, specOf(atOnce));
      if (run === "killed") {
        await reached(fixture, name, Math.floor(nodes / 3));
        await contender.kill();
        await freeLease(fixture);
        contender = contenders.ours("upgrades");
      }
      await reached(fixture, name, nodes);
    }
    const seconds = (performance.now() - from) / 1000;
    await waitFor("no node to be cordoned", () => observer.cordoned === 0, {
      timeoutMs: 30_000,
      signal,
    }).catch((error: unknown) => say(String(error)));
    const { observed } = observer;
    say(
      `round ${turn}, ${run === "killed" ? "ours, killed on the way" : TITLES[run]}: ${seconds.toFixed(1)} s, ${((nodes / seconds) * 60).toFixed(0)} nodes a minute, ` +
        `${observed.violations} violations, ${observed.evicted} pods evicted, at most ${observed.mostCordoned} cordoned, ${observed.repeated} handed over twice, ` +
        `${(observed.writes / nodes).toFixed(2)} writes a node, the largest object of ${observed.largestBytes} bytes`,
    );
    return { ...observed, seconds, leftCordoned: observer.cordoned };
  } finally {
    await contender?.kill();
    await freeLease(fixture);
    await retract(fixture, UPGRADES, name);
    await agent.stop();
  }
}

function specOf(maxUnavailable: number): object {
  return {
    version: TO,
    digest: `sha256:${"0".repeat(64)}`,
    maxUnavailable,
    drain: { graceSeconds: 0 },
    preflight: { skip: ["EtcdSnapshot", "VersionSkew", "PodDisruptionBudgets", "BlockingPods", "Agents"] },
  };
}

async function reached({ cluster, signal }: BenchmarkFixture, name: string, done: number): Promise<void> {
  await waitFor(
    `${done} nodes to be done`,
    async () => {
      const { status } = await cluster.direct.get(UPGRADES, { name });
      if (status?.phase === "Failed") throw new Error(JSON.stringify(status.conditions));
      return (status?.done ?? 0) >= done || `${status?.done ?? 0} are done`;
    },
    { timeoutMs: PATIENCE_MS, intervalMs: 500, signal },
  );
}

function outcome(
  { nodes, applications, atOnce, rounds, many }: Sizes & { many: number },
  measured: Record<Run, Measured[]>,
  large: Measured | undefined,
): Awaited<ReturnType<Benchmark["run"]>> {
  const all = (pick: (one: Measured) => number, runs: readonly Run[]): number[] =>
    runs.flatMap((run) => measured[run].map(pick));
  const worst = (pick: (one: Measured) => number): number => Math.max(...all(pick, ["ours", "killed"]));
  const perMinute = (run: Run): number => round((nodes / median(all(({ seconds }) => seconds, [run]))) * 60);
  const share = perMinute("ours") / perMinute("clientGo");
  const writes = Math.max(...all((one) => one.writes / nodes, ["ours", "killed"]));
  return {
    figures: {
      nodes,
      pods: applications * REPLICAS,
      budgets: applications,
      nodesAtOnce: atOnce,
      rounds,
      oursNodesPerMinute: perMinute("ours"),
      killedNodesPerMinute: perMinute("killed"),
      clientGoNodesPerMinute: perMinute("clientGo"),
      oursViolations: worst(({ violations }) => violations),
      clientGoViolations: Math.max(...all(({ violations }) => violations, ["clientGo"])),
      mostCordoned: worst(({ mostCordoned }) => mostCordoned),
      handedOverTwice: worst(({ repeated }) => repeated),
      writesPerNode: round(writes),
      largestBytes: worst(({ largestBytes }) => largestBytes),
      manyNodes: many,
      manyNodesPerMinute: round((many / (large?.seconds ?? NaN)) * 60),
      manyWritesPerNode: round((large?.writes ?? NaN) / many),
      manyLargestBytes: large?.largestBytes ?? NaN,
      manyViolations: large?.violations ?? NaN,
    },
    bars: [
      atLeast("nodes a minute, of client-go's", share, 0.9),
      atMost("writes a node", writes, 5),
      atMost(`the largest object with ${many} nodes, in bytes`, large?.largestBytes ?? NaN, 100_000),
      atMost(
        "violations of budgets",
        Math.max(
          worst(({ violations }) => violations),
          large?.violations ?? NaN,
        ),
        0,
      ),
      atMost(
        "nodes cordoned at once",
        worst(({ mostCordoned }) => mostCordoned),
        atOnce,
      ),
      atMost(
        "nodes handed over twice, with a kill on the way",
        worst(({ repeated }) => repeated),
        0,
      ),
      atMost(
        "nodes left cordoned, with a kill on the way",
        worst(({ leftCordoned }) => leftCordoned),
        0,
      ),
    ],
  };
}
