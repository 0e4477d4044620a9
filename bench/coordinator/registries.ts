import { REGISTRIES } from "../../controllers/coordinator/kinds";
import { NAMESPACES, SECRETS, SERVICE_ACCOUNTS } from "../../controllers/coordinator/native-resources";
import { atMost, type Benchmark, median, round } from "../benchmark";
import { stillMachine } from "../still-machine";
import { CONTENDERS, type Contender, type ContenderName, TITLES } from "./contender";
import { isWrite, requestCounts, requestsBetween, sumOf } from "../../test/harness/coordinator";
import { percentile, sizesOf } from "./settings";
import { SpreadObserver } from "./spread-observer";
import { declare, forEach, freeLease, withBenchmarkFixture, retract, type BenchmarkFixture } from "./fixture";

const REGISTRY = "main";
const SECRET = `fleetwright-registry-${REGISTRY}`;
const SPEC = { provider: "basic", endpoint: "registry.example.com", credentials: { name: "login" } };
const CONTROLLERS = "service-accounts,registries";

/** What one contender took, round by round. */
interface Times {
  /** From a Registry that is made to its pull secret in every namespace and on every service account. */
  spread: number[];
  cpu: number[];
}

/** A Registry's pull secret in a thousand namespaces, by ours and by client-go. */
export const registries: Benchmark = {
  describes: "a pull secret in 1,000 namespaces beside client-go; new namespaces, healing, rest, memory",

  async run(signal, say, args) {
    const sizes = sizesOf(args, { namespaces: 1000, rounds: 3, late: 200, restSeconds: 10 });
    // Nobody else may write: neither a default account nor a certificate of the cluster's own.
    const components = { scheduler: false, controllerManager: false };
    return withBenchmarkFixture({ components }, signal, say, async (fixture) => {
      const names = await fill(fixture, sizes.namespaces);
      const observer = await SpreadObserver.start(fixture.cluster.direct, SECRET);
      try {
        const times: Record<ContenderName, Times> = {
          ours: { spread: [], cpu: [] },
          clientGo: { spread: [], cpu: [] },
        };
        // The first round warms the server up; it is not counted. In turns, so that whatever else the machine does
        // falls on both.
        for (let turn = 0; turn <= sizes.rounds; turn++)
          for (const name of CONTENDERS) await oneRound(fixture, observer, names, name, turn, times[name]);
        const late: Record<ContenderName, Late> = {
          clientGo: await afterwards(fixture, observer, names, "clientGo", sizes),
          ours: await afterwards(fixture, observer, names, "ours", sizes),
        };
        return outcome(sizes, times, late);
      } finally {
        await observer.stop();
      }
    });
  },

  plots(figures) {
    const value = (name: string): number => Number(figures[name]);
    const both = (suffix: string): [string, number][] => [
      ["ours", value(`ours${suffix}`)],
      ["client-go", value(`clientGo${suffix}`)],
    ];
    return [
      {
        title: `A pull secret in ${value("namespaces").toLocaleString("en")} namespaces and on their accounts`,
        unit: "s",
        values: both("SpreadSeconds"),
      },
      {
        title: "A new namespace has its secret, 99th percentile",
        unit: "ms",
        values: both("NewNamespaceP99Milliseconds"),
      },
      { title: "Resident memory at rest", unit: "MB", values: both("RestResidentMegabytes") },
    ];
  },
};

async function fill(fixture: BenchmarkFixture, count: number): Promise<string[]> {
  const { cluster, say } = fixture;
  say(`making ${count} namespaces`);
  const names = Array.from({ length: count }, (_, index) => `many-${index}`);
  await forEach(names, (name) => cluster.direct.create(NAMESPACES, { metadata: { name } }));
  const login = { username: "YQ==", password: "Yg==" };
  await cluster.direct.create(SECRETS, { metadata: { namespace: cluster.home, name: "login" }, data: login });
  return names;
}

function start({ contenders }: BenchmarkFixture, name: ContenderName): Contender {
  return name === "ours" ? contenders.ours(CONTROLLERS) : contenders.clientGo("registries");
}

async function oneRound(
  fixture: BenchmarkFixture,
  observer: SpreadObserver,
  names: readonly string[],
  name: ContenderName,
  turn: number,
  times: Times,
): Promise<void> {
  const { say, signal } = fixture;
  await stillMachine(signal, say);
  const contender = start(fixture, name);
  try {
    await contender.ready();
    await observer.accounts(names, signal);
    const cpuBefore = await contender.cpuSeconds();
    const from = performance.now();
    await declare(fixture, REGISTRIES, REGISTRY, SPEC);
    const spread = ((await observer.spread(names, signal)) - from) / 1000;
    const cpu = (await contender.cpuSeconds()) - cpuBefore;
    if (turn > 0) {
      times.spread.push(spread);
      times.cpu.push(cpu);
    }
    say(
      `${turn === 0 ? "warm-up" : `round ${turn}`}, ${TITLES[name]}: ${spread.toFixed(2)} s, ${cpu.toFixed(2)} s of CPU`,
    );
  } finally {
    await contender.kill();
    await retract(fixture, REGISTRIES, REGISTRY);
    await clear(fixture, observer, names);
  }
}

/** Takes away what a contender made. */
async function clear(
  fixture: BenchmarkFixture,
  observer: SpreadObserver,
  names: readonly string[],
): Promise<void> {
  const { direct, home } = fixture.cluster;
  await freeLease(fixture);
  await forEach(
    [...names, home, "default", "kube-system", "kube-public", "kube-node-lease"],
    async (namespace) => {
      await direct.delete(SECRETS, { namespace, name: SECRET }).catch(() => {});
      await direct.delete(SERVICE_ACCOUNTS, { namespace, name: "fleetwright" }).catch(() => {});
    },
  );
  await observer.gone(names, fixture.signal);
}

interface Late {
  newNamespaceMs: number[];
  healMs: number[];
  writesAtRest: number;
  requestsAtRest: number;
  residentBytes: number;
  peakBytes: number;
}

/** What happens when all is in place: new namespaces, healing, and rest. */
async function afterwards(
  fixture: BenchmarkFixture,
  observer: SpreadObserver,
  names: readonly string[],
  name: ContenderName,
  { late, restSeconds }: { late: number; restSeconds: number },
): Promise<Late> {
  const { cluster, contenders, signal, say } = fixture;
  // All controllers, since this is what is deployed and whose memory counts.
  const contender = name === "ours" ? contenders.ours("*") : contenders.clientGo("registries");
  const made: string[] = [];
  try {
    await contender.ready();
    await declare(fixture, REGISTRIES, REGISTRY, SPEC);
    await observer.spread(names, signal);
    const newNamespaceMs: number[] = [];
    for (let index = 0; index < late; index++) {
      const namespace = `late-${name.toLowerCase()}-${index}`;
      await cluster.direct.create(NAMESPACES, { metadata: { name: namespace } });
      const from = performance.now();
      made.push(namespace);
      newNamespaceMs.push((await observer.spread([namespace], signal)) - from);
    }
    const healMs: number[] = [];
    for (const namespace of names.slice(0, Math.min(50, names.length))) {
      const from = performance.now();
      await cluster.direct.delete(SECRETS, { namespace, name: SECRET });
      healMs.push((await observer.again(namespace, from, signal)) - from);
    }
    await new Promise((resolve) => setTimeout(resolve, 5000));
    const before = await requestCounts(cluster.direct);
    await new Promise((resolve) => setTimeout(resolve, restSeconds * 1000));
    const after = await requestCounts(cluster.direct);
    const writesAtRest = sumOf(requestsBetween(before, after, isWrite));
    const requestsAtRest = sumOf(
      requestsBetween(before, after, ({ resource }) =>
        /^(namespaces|secrets|serviceaccounts|registries)$/.test(resource),
      ),
    );
    const { resident, peak } = await contender.memory();
    say(
      `${TITLES[name]}: new namespaces p50 ${percentile(newNamespaceMs, 0.5).toFixed(0)} ms, p99 ${percentile(newNamespaceMs, 0.99).toFixed(0)} ms; ` +
        `healed in ${median(healMs).toFixed(0)} ms; ${writesAtRest} writes at rest; ${(resident / 1e6).toFixed(0)} MB resident, ${(peak / 1e6).toFixed(0)} MB at most`,
    );
    return { newNamespaceMs, healMs, writesAtRest, requestsAtRest, residentBytes: resident, peakBytes: peak };
  } finally {
    await contender.kill();
    await retract(fixture, REGISTRIES, REGISTRY);
    await clear(fixture, observer, [...names, ...made]);
  }
}

function outcome(
  {
    namespaces,
    rounds,
    late: lateCount,
    restSeconds,
  }: Record<"namespaces" | "rounds" | "late" | "restSeconds", number>,
  times: Record<ContenderName, Times>,
  late: Record<ContenderName, Late>,
): Awaited<ReturnType<Benchmark["run"]>> {
  const of = (name: ContenderName): Record<string, number> => ({
    [`${name}SpreadSeconds`]: round(median(times[name].spread)),
    [`${name}SpreadCpuSeconds`]: round(median(times[name].cpu)),
    [`${name}NewNamespaceP50Milliseconds`]: round(percentile(late[name].newNamespaceMs, 0.5)),
    [`${name}NewNamespaceP99Milliseconds`]: round(percentile(late[name].newNamespaceMs, 0.99)),
    [`${name}HealMilliseconds`]: round(median(late[name].healMs)),
    [`${name}WritesAtRest`]: late[name].writesAtRest,
    [`${name}RequestsAtRest`]: late[name].requestsAtRest,
    [`${name}RestResidentMegabytes`]: round(late[name].residentBytes / 1e6),
    [`${name}PeakResidentMegabytes`]: round(late[name].peakBytes / 1e6),
  });
  return {
    figures: { namespaces, rounds, lateNamespaces: lateCount, restSeconds, ...of("ours"), ...of("clientGo") },
    bars: [
      atMost(
        "time to all namespaces, of client-go",
        median(times.ours.spread) / median(times.clientGo.spread),
        1.15,
      ),
      atMost(
        "milliseconds to a new namespace's secret, 99th percentile",
        percentile(late.ours.newNamespaceMs, 0.99),
        1000,
      ),
      atMost(`writes in ${restSeconds} s of rest`, late.ours.writesAtRest, 0),
      atMost("processor time, of client-go", median(times.ours.cpu) / median(times.clientGo.cpu), 1.5),
      atMost("MB resident at rest", late.ours.residentBytes / 1e6, 100),
    ],
  };
}
