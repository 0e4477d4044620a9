import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { waitFor } from "../../lib/deadline";
import { ExitCode, Failure } from "../../lib/failure";
import { type Benchmark, median, seconds } from "../benchmark";
import { CONTENDERS, type Contender, commandsOf, TITLES } from "./contenders";
import { barsOf, figuresOf, type Measured, type Sync } from "./figures";
import { type Command, Follower } from "./follower";
import { compareSightings, type CostedDelivery, parseSightings } from "./lag";
import { type CacheOptions, optionsOf } from "./options";
import { plotsOf } from "./plots";
import { ensureReference } from "../reference";
import { stillMachine } from "../still-machine";
import { BenchServer, BUSY, QUIET } from "./server";

/** A contender whose first round takes longer than this has no second one; the same for rounds of updates. */
const LONG_SECONDS = 40;
const LONG_UPDATES_SECONDS = 90;

type Say = (line: string) => void;

interface CacheBenchmark {
  server: BenchServer;
  commands: Readonly<Record<Contender, Command>>;
  folder: string;
  options: CacheOptions;
  signal: AbortSignal;
  say: Say;
}

/** Our cache beside the stock informer of the JavaScript client and client-go's shared informer. */
export const cache: Benchmark = {
  describes: "our cache beside client-node's and client-go's: time to synced, memory, events, lag",

  async run(signal, say, args) {
    const options = optionsOf(args);
    const reference = await ensureReference(signal);
    const folder = await mkdtemp(path.join(os.tmpdir(), "fleetwright-bench-"));
    let server: BenchServer | undefined;
    try {
      const commands = await commandsOf(folder, reference);
      say("starting etcd and the API server");
      server = await BenchServer.start(folder, reference, signal);
      const measured = await measure({ server, commands, folder, options, signal, say });
      return { figures: figuresOf(measured), bars: barsOf(measured) };
    } catch (error) {
      // Whoever was at work complains in his own way when he is interrupted.
      throw signal.aborted ? new Failure("Interrupted.", ExitCode.interrupted) : error;
    } finally {
      await server?.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  },

  plots: plotsOf,
};

async function measure(benchmark: CacheBenchmark): Promise<Measured> {
  const { server, options, say } = benchmark;
  // They wait in silence while the rest is measured.
  const silence = await keepSilence(benchmark);
  const syncs = new Map<number, Map<Contender, Sync>>();
  let deliveries: Map<Contender, CostedDelivery> | undefined;
  for (const size of options.sizes) {
    say(`filling up to ${size} Secrets`);
    await server.growTo(size);
    syncs.set(size, await measureSyncs(benchmark, size));
    // With the smallest cache: the server is then as little in the way as it can be.
    deliveries ??= await measureDelivery(benchmark);
  }
  const quietMs = await silence.end();
  return { syncs, deliveries: deliveries ?? new Map(), quietMs, options };
}

async function measureSyncs(benchmark: CacheBenchmark, size: number): Promise<Map<Contender, Sync>> {
  const { options, signal, say } = benchmark;
  const rounds = new Map<Contender, Sync[]>();
  // The server has just been written to; whoever lists first would wait for it to settle.
  const warmUp = await measureSync(benchmark, "ours", size);
  say(`${size} Secrets, warm-up: ${warmUp.seconds.toFixed(2)} s`);
  for (let round = 1; round <= options.rounds; round++) {
    // In turns, each round with another one first, so that whatever else the machine does falls on all of them.
    for (const contender of [...CONTENDERS.slice(round - 1), ...CONTENDERS.slice(0, round - 1)]) {
      const known = rounds.get(contender)?.[0];
      // What takes that long repeats itself well, and would take most of the time.
      if (known !== undefined && known.seconds > LONG_SECONDS) continue;
      await stillMachine(signal, say);
      const found = await measureSync(benchmark, contender, size);
      rounds.set(contender, [...(rounds.get(contender) ?? []), found]);
      say(
        `${size} Secrets, round ${round} of ${options.rounds}, ${TITLES[contender]}: ${found.seconds.toFixed(2)} s, ` +
          `${found.heapPerObject.toFixed(0)} B of heap an object, peak ${(found.peakBytes / 1e6).toFixed(0)} MB, ` +
          `${found.cpuSeconds.toFixed(2)} s of CPU${found.listed === undefined ? ", its list() throws" : ""}`,
      );
    }
  }
  return new Map(Array.from(rounds, ([contender, found]) => [contender, middle(found)]));
}

async function measureSync(
  { server, commands, folder, signal }: CacheBenchmark,
  contender: Contender,
  size: number,
): Promise<Sync> {
  const task = {
    kubeconfig: server.kubeconfig,
    namespace: BUSY,
    resource: "secrets",
    out: path.join(folder, "out"),
  } as const;
  const follower = new Follower(TITLES[contender], commands[contender], task, signal);
  try {
    const { objects, seconds, cpuSeconds } = await follower.synced();
    if (objects !== size)
      throw new Error(`${TITLES[contender]} has ${objects} objects, the server has ${size}.`);
    const peakBytes = await follower.peakBytes();
    const heapPerObject = ((await follower.ask("heap")) ?? NaN) / size;
    const listed = contender.startsWith("clientGo") ? size : await follower.ask("list");
    return { seconds, cpuSeconds, peakBytes, heapPerObject, listed };
  } finally {
    await follower.end();
  }
}

function middle(rounds: readonly Sync[]): Sync {
  const of = (pick: (sync: Sync) => number): number => median(rounds.map(pick));
  return {
    seconds: of(({ seconds }) => seconds),
    cpuSeconds: of(({ cpuSeconds }) => cpuSeconds),
    peakBytes: of(({ peakBytes }) => peakBytes),
    heapPerObject: of(({ heapPerObject }) => heapPerObject),
    listed: rounds[0]?.listed,
  };
}

/** Those whose events are compared. They follow the same writes at the same time. */
const LISTENERS = [
  "ours",
  "stock",
  "clientGoProtobuf",
  "clientGoJson",
] as const satisfies readonly Contender[];

async function measureDelivery(benchmark: CacheBenchmark): Promise<Map<Contender, CostedDelivery>> {
  const { server, commands, folder, options, signal, say } = benchmark;
  const rounds = new Map<Contender, CostedDelivery[]>();
  let tookSeconds = 0;
  for (let round = 1; round <= options.rounds && tookSeconds < LONG_UPDATES_SECONDS; round++) {
    const accepted = path.join(folder, "accepted");
    const followers = LISTENERS.map((contender) => {
      const out = path.join(folder, contender);
      const task = { kubeconfig: server.kubeconfig, namespace: BUSY, resource: "secrets", out } as const;
      return { contender, out, follower: new Follower(TITLES[contender], commands[contender], task, signal) };
    });
    try {
      for (const { follower } of followers) await follower.synced();
      // The stock informer opens its watch after it says that it is synced.
      await pause(1000, undefined, { signal });
      const cpuBefore = await Promise.all(followers.map(({ follower }) => follower.ask("cpu")));
      tookSeconds = await seconds(() => server.update(options.updates, accepted));
      const writes = parseSightings(await readFile(accepted, "utf8"));
      for (const [index, { contender, out, follower }] of followers.entries()) {
        await waitFor(
          `${TITLES[contender]} to have seen all`,
          async () => ((await follower.ask("count")) ?? 0) >= writes.size,
          { timeoutMs: 10_000, intervalMs: 100, signal },
        ).catch((error: unknown) => {
          signal.throwIfAborted();
          say(`${TITLES[contender]}: ${String(error)}`);
        });
        const cpuSeconds = ((await follower.ask("cpu")) ?? NaN) - (cpuBefore[index] ?? NaN);
        await follower.ask("seen");
        const delivery = {
          ...compareSightings(writes, parseSightings(await readFile(out, "utf8"))),
          cpuMicrosPerEvent: (cpuSeconds / writes.size) * 1e6,
        };
        rounds.set(contender, [...(rounds.get(contender) ?? []), delivery]);
        say(
          `${writes.size} updates, round ${round} of ${options.rounds}, ${TITLES[contender]}: ${delivery.lost} lost, ` +
            `lag p50 ${delivery.p50Ms.toFixed(1)} ms, p99 ${delivery.p99Ms.toFixed(1)} ms, ${delivery.perSecond.toFixed(0)} a second, ` +
            `${delivery.cpuMicrosPerEvent.toFixed(0)} us of CPU each`,
        );
      }
    } finally {
      await Promise.all(followers.map(({ follower }) => follower.end()));
    }
  }
  return new Map(
    Array.from(rounds, ([contender, found]) => {
      const of = (pick: (delivery: CostedDelivery) => number): number => median(found.map(pick));
      return [
        contender,
        {
          // One event lost in any round is one too many.
          lost: Math.max(...found.map(({ lost }) => lost)),
          p50Ms: of(({ p50Ms }) => p50Ms),
          p99Ms: of(({ p99Ms }) => p99Ms),
          perSecond: of(({ perSecond }) => perSecond),
          cpuMicrosPerEvent: of(({ cpuMicrosPerEvent }) => cpuMicrosPerEvent),
        },
      ];
    }),
  );
}

const HERMITS = ["ours", "stock", "clientGoProtobuf"] as const satisfies readonly Contender[];

async function keepSilence(benchmark: CacheBenchmark): Promise<{ end(): Promise<Map<Contender, number>> }> {
  const { server, commands, folder, options, signal, say } = benchmark;
  const followers = HERMITS.map((contender) => {
    const out = path.join(folder, `quiet-${contender}`);
    const task = { kubeconfig: server.kubeconfig, namespace: QUIET, resource: "configmaps", out } as const;
    return { contender, out, follower: new Follower(TITLES[contender], commands[contender], task, signal) };
  });
  for (const { follower } of followers) await follower.synced();
  const startedAt = performance.now();
  return {
    async end() {
      const left = options.quietSeconds * 1000 - (performance.now() - startedAt);
      if (left > 0)
        say(`waiting ${(left / 1000).toFixed(0)} s, so that a kind is quiet for ${options.quietSeconds} s`);
      await pause(Math.max(0, left), undefined, { signal });
      const [version, acceptedAt] = await server.breakSilence();
      const found = new Map<Contender, number>();
      for (const { contender, out, follower } of followers) {
        await waitFor(
          `${TITLES[contender]} to see the event`,
          async () => ((await follower.ask("count")) ?? 0) > 0,
          { timeoutMs: 60_000, intervalMs: 100, signal },
        );
        await follower.ask("seen");
        const seen = parseSightings(await readFile(out, "utf8")).get(version);
        const lagMs = ((seen ?? NaN) - acceptedAt) / 1000;
        found.set(contender, lagMs);
        say(
          `an event after ${options.quietSeconds} s of silence, ${TITLES[contender]}: ${lagMs.toFixed(1)} ms`,
        );
        await follower.end();
      }
      return found;
    },
  };
}
