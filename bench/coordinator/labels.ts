import { NODE_POOL_LABELS } from "../../controllers/coordinator/kinds";
import { NODES } from "../../controllers/coordinator/native-resources";
import { Informer } from "../../controllers/runtime";
import { nodeAddress, nodeManifest } from "../../sandbox/controlplane/nodes";
import { waitFor } from "../../lib/deadline";
import { atLeast, atMost, type Benchmark, median, round } from "../benchmark";
import { stillMachine } from "../still-machine";
import { CONTENDERS, type Contender, type ContenderName, TITLES } from "./contender";
import { requestCounts, requestsBetween, sumOf, type RequestKind } from "../../test/harness/coordinator";
import { sizesOf } from "./settings";
import { declare, forEach, freeLease, withBenchmarkFixture, type BenchmarkFixture } from "./fixture";

const POOLS = 10;
const KEY = "nodepool.fleetwright.dev/disk";

/** What one contender took, round by round. */
interface Times {
  seconds: number[];
  cpu: number[];
  /** Of all rounds, the most writes to nodes beyond one each, and the most when it was started again. */
  writes: number[];
  writesAgain: number[];
}

/**
 * A label for each of ten pools on five thousand nodes, by ours and by client-go. The nodes are plain objects: what keeps
 * simulated ones alive, five hundred leases a second, would be most of what the two cores do, and labels need none of it.
 */
export const labels: Benchmark = {
  describes:
    "labels of pools on 5,000 nodes beside client-go: nodes a second, writes, writes after a restart",

  async run(signal, say, args) {
    const sizes = sizesOf(args, { nodes: 5000, rounds: 3 });
    const components = { scheduler: false, controllerManager: false };
    return withBenchmarkFixture({ components }, signal, say, async (fixture) => {
      say(`making ${sizes.nodes} nodes`);
      const names = Array.from({ length: sizes.nodes }, (_, index) => `node-${index}`);
      await forEach(names, (name) => makeNode(fixture, name, Number(name.slice(5))));
      const observer = new LabelObserver(fixture);
      try {
        const times: Record<ContenderName, Times> = {
          ours: { seconds: [], cpu: [], writes: [], writesAgain: [] },
          clientGo: { seconds: [], cpu: [], writes: [], writesAgain: [] },
        };
        // The first round warms the server up; it is not counted.
        for (let turn = 0; turn <= sizes.rounds; turn++)
          for (const name of CONTENDERS) await oneRound(fixture, observer, names, name, turn, times[name]);
        return outcome(sizes, times);
      } finally {
        await observer.stop();
      }
    });
  },

  plots(figures) {
    const value = (name: string): number => Number(figures[name]);
    return [
      {
        title: `Labels of pools on ${value("nodes").toLocaleString("en")} nodes`,
        unit: "nodes a second",
        values: [
          ["ours", value("oursNodesPerSecond")],
          ["client-go", value("clientGoNodesPerSecond")],
        ],
      },
      {
        title: "Processor time for it",
        unit: "s",
        values: [
          ["ours", value("oursCpuSeconds")],
          ["client-go", value("clientGoCpuSeconds")],
        ],
      },
    ];
  },
};

async function makeNode({ cluster }: BenchmarkFixture, name: string, index: number): Promise<void> {
  const shape = { labels: { "fleetwright.dev/node-pool": `pool-${index % POOLS}` } };
  const body = nodeManifest(name, nodeAddress(index + 1), shape);
  await cluster.direct.request({ method: "POST", path: "/api/v1/nodes", body });
}

/** Sees from outside, by a watch of its own, which nodes carry a value. */
class LabelObserver {
  readonly #end = new AbortController();
  readonly #run: Promise<void>;
  readonly #values = new Map<string, string>();
  #last = 0;

  constructor({ cluster }: BenchmarkFixture) {
    const nodes = new Informer(cluster.direct, NODES, {
      transform: ({ metadata: { name, uid, resourceVersion, labels = {} } }) => ({
        metadata: {
          name,
          ...(uid === undefined ? {} : { uid }),
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
          labels: { [KEY]: labels[KEY] ?? "" },
        },
      }),
    });
    nodes.onChange(({ key, after }) => {
      const value = after?.metadata.labels?.[KEY] ?? "";
      if (this.#values.get(key) === value) return;
      this.#values.set(key, value);
      this.#last = performance.now();
    });
    this.#run = nodes.run(this.#end.signal);
  }

  /** Waits until all nodes carry the value. Gives when the last one did. */
  async all(count: number, value: string, signal: AbortSignal): Promise<number> {
    const having = (): number => [...this.#values.values()].filter((found) => found === value).length;
    await waitFor("the labels", () => having() === count || `${having()} of ${count} nodes have it`, {
      timeoutMs: 180_000,
      intervalMs: 20,
      signal,
    });
    return this.#last;
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#run;
  }
}

const ofNodes = ({ verb, resource }: RequestKind): boolean =>
  resource === "nodes" && ["POST", "PUT", "PATCH", "APPLY", "DELETE"].includes(verb);

async function oneRound(
  fixture: BenchmarkFixture,
  observer: LabelObserver,
  names: readonly string[],
  name: ContenderName,
  turn: number,
  times: Times,
): Promise<void> {
  const { contenders, cluster, say, signal } = fixture;
  await stillMachine(signal, say);
  const start = (): Contender =>
    name === "ours" ? contenders.ours("labels") : contenders.clientGo("labels");
  let contender = start();
  const pools = Array.from({ length: POOLS }, (_, index) => `pool-${index}`);
  const value = `${name.toLowerCase()}-${turn}`;
  try {
    await contender.ready();
    const before = await requestCounts(cluster.direct);
    const cpuBefore = await contender.cpuSeconds();
    const from = performance.now();
    await Promise.all(pools.map((pool) => declareValue(fixture, pool, value)));
    const seconds = ((await observer.all(names.length, value, signal)) - from) / 1000;
    const cpu = (await contender.cpuSeconds()) - cpuBefore;
    const writes = sumOf(requestsBetween(before, await requestCounts(cluster.direct), ofNodes));
    await contender.kill();
    await freeLease(fixture);
    const rested = await requestCounts(cluster.direct);
    contender = start();
    await contender.ready();
    // Long enough for every node to be looked at: all of them were labelled in a few seconds.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const writesAgain = sumOf(requestsBetween(rested, await requestCounts(cluster.direct), ofNodes));
    if (turn > 0) {
      times.seconds.push(seconds);
      times.cpu.push(cpu);
      times.writes.push(writes / names.length);
      times.writesAgain.push(writesAgain);
    }
    say(
      `${turn === 0 ? "warm-up" : `round ${turn}`}, ${TITLES[name]}: ${seconds.toFixed(2)} s, ${(names.length / seconds).toFixed(0)} nodes a second, ` +
        `${cpu.toFixed(2)} s of CPU, ${writes} writes, ${writesAgain} after a restart`,
    );
  } finally {
    await contender.kill();
    await freeLease(fixture);
  }
}

/** The declarations stay from round to round with another value, so that each node is concerned by one change a round. */
async function declareValue(fixture: BenchmarkFixture, pool: string, value: string): Promise<void> {
  await fixture.cluster.direct
    .patch(NODE_POOL_LABELS, { name: pool }, { spec: { value } })
    .catch(() => declare(fixture, NODE_POOL_LABELS, pool, { pool, key: "disk", value }));
}

function outcome(
  { nodes, rounds }: Record<"nodes" | "rounds", number>,
  times: Record<ContenderName, Times>,
): Awaited<ReturnType<Benchmark["run"]>> {
  const perSecond = (name: ContenderName): number => nodes / median(times[name].seconds);
  const of = (name: ContenderName): Record<string, number> => ({
    [`${name}NodesPerSecond`]: round(perSecond(name)),
    [`${name}Seconds`]: round(median(times[name].seconds)),
    [`${name}CpuSeconds`]: round(median(times[name].cpu)),
    [`${name}WritesPerNode`]: Math.max(...times[name].writes),
    [`${name}WritesAfterRestart`]: Math.max(...times[name].writesAgain),
  });
  return {
    figures: { nodes, pools: POOLS, rounds, ...of("ours"), ...of("clientGo") },
    bars: [
      atLeast("nodes a second, of client-go", perSecond("ours") / perSecond("clientGo"), 0.9),
      atMost("writes a node", Math.max(...times.ours.writes), 1),
      atMost("writes after a restart", Math.max(...times.ours.writesAgain), 0),
      atMost("processor time, of client-go", median(times.ours.cpu) / median(times.clientGo.cpu), 1.5),
    ],
  };
}
