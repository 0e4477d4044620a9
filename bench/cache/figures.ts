import { atMost, type Bar, type Figures, round } from "../benchmark";
import { CONTENDERS, type Contender } from "./contenders";
import type { CostedDelivery } from "./lag";
import type { CacheOptions } from "./options";

/** How a first list went. */
export interface Sync {
  seconds: number;
  cpuSeconds: number;
  peakBytes: number;
  heapPerObject: number;
  /** How many objects a list of all gives; undefined where it throws. */
  listed: number | undefined;
}

/** All that a run found. */
export interface Measured {
  syncs: ReadonlyMap<number, ReadonlyMap<Contender, Sync>>;
  deliveries: ReadonlyMap<Contender, CostedDelivery>;
  quietMs: ReadonlyMap<Contender, number>;
  options: CacheOptions;
}

/** The figures under names that end in their units, each by size or by contender. */
export function figuresOf({ syncs, deliveries, quietMs, options }: Measured): Figures {
  const bySize = (contender: Contender, pick: (sync: Sync) => number): Record<string, number> =>
    Object.fromEntries(
      Array.from(syncs, ([size, found]) => {
        const sync = found.get(contender);
        return [String(size), sync === undefined ? NaN : round(pick(sync))];
      }),
    );
  const ofDeliveries = (pick: (delivery: CostedDelivery) => number): Record<string, number> =>
    Object.fromEntries(Array.from(deliveries, ([contender, found]) => [contender, round(pick(found))]));
  const syncFigures = CONTENDERS.flatMap((contender) => [
    [`${contender}SyncSeconds`, bySize(contender, ({ seconds }) => seconds)],
    [`${contender}HeapBytesPerObject`, bySize(contender, ({ heapPerObject }) => heapPerObject)],
    [`${contender}PeakResidentMegabytes`, bySize(contender, ({ peakBytes }) => peakBytes / 1e6)],
    [`${contender}SyncCpuSeconds`, bySize(contender, ({ cpuSeconds }) => cpuSeconds)],
  ]);
  return {
    rounds: options.rounds,
    updates: options.updates,
    quietSeconds: options.quietSeconds,
    ...(Object.fromEntries(syncFigures) as Record<string, Record<string, number>>),
    /** 1 where a list of all objects throws. */
    stockListThrows: bySize("stock", ({ listed }) => (listed === undefined ? 1 : 0)),
    eventsLost: ofDeliveries(({ lost }) => lost),
    eventLagP50Milliseconds: ofDeliveries(({ p50Ms }) => p50Ms),
    eventLagP99Milliseconds: ofDeliveries(({ p99Ms }) => p99Ms),
    eventsPerSecond: ofDeliveries(({ perSecond }) => perSecond),
    cpuMicrosecondsPerEvent: ofDeliveries(({ cpuMicrosPerEvent }) => cpuMicrosPerEvent),
    quietEventMilliseconds: Object.fromEntries(Array.from(quietMs, ([name, ms]) => [name, round(ms)])),
  };
}

/**
 * The claims. Of several sizes the worst counts. With protobuf ours is held against the better of client-go's two ways;
 * with JSON against the one that it takes by itself, and against the other one too. Node alone takes 68 MB before the
 * first object, so that memory is compared size by size.
 */
export function barsOf({ syncs, deliveries, quietMs, options }: Measured): Bar[] {
  const worst = (rivals: readonly Contender[], pick: (sync: Sync) => number): number =>
    Math.max(
      ...Array.from(syncs.values(), (found) => {
        const ours = found.get("ours");
        const best = Math.min(...rivals.map((rival) => (found.has(rival) ? pick(get(found, rival)) : NaN)));
        return ours === undefined ? NaN : pick(ours) / best;
      }),
    );
  const sizes = [...syncs.keys()];
  const smallest = Math.min(...sizes);
  const largest = Math.max(...sizes);
  const perObject = (size: number): number => get(get(syncs, size), "ours").seconds / size;
  const missing = largest - (get(get(syncs, largest), "ours").listed ?? 0);
  const protobuf = ["clientGoProtobuf", "clientGoProtobufPlainList"] as const;
  const json = ["clientGoJson", "clientGoJsonPlainList"] as const;
  const peak = (size: number): number => {
    const found = get(syncs, size);
    const best = Math.min(...protobuf.map((rival) => get(found, rival).peakBytes));
    return get(found, "ours").peakBytes / best;
  };
  const seconds = ({ seconds: found }: Sync): number => found;
  const heap = ({ heapPerObject }: Sync): number => heapPerObject;
  const ours = get(deliveries, "ours");
  return [
    atMost("time to synced, of client-go protobuf", worst(protobuf, seconds), 1.3),
    atMost("time to synced, of client-go JSON", worst(["clientGoJson"], seconds), 0.4),
    atMost(
      "time to synced, of client-go JSON with plain lists",
      worst(["clientGoJsonPlainList"], seconds),
      0.4,
    ),
    atMost("heap per object, of client-go", worst([...protobuf, ...json], heap), 0.8),
    atMost("heap per object, of client-node's informer", worst(["stock"], heap), 0.6),
    ...sizes.map((size) => atMost(`peak resident memory at ${size}, of client-go protobuf`, peak(size), 1.2)),
    atMost(`objects of ${largest} that our list lacks`, missing, 0),
    atMost(
      `time per object at ${largest}, of that at ${smallest}`,
      perObject(largest) / perObject(smallest),
      1.2,
    ),
    atMost(`events lost of ${options.updates}`, ours.lost, 0),
    atMost(
      "event lag p99, of client-go protobuf",
      ours.p99Ms / get(deliveries, "clientGoProtobuf").p99Ms,
      1.2,
    ),
    atMost(`milliseconds to an event after ${options.quietSeconds} s of silence`, get(quietMs, "ours"), 100),
  ];
}

function get<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = map.get(key);
  if (value === undefined) throw new Error(`Nothing was measured for ${String(key)}.`);
  return value;
}
