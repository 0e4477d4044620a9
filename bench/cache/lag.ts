/** When something happened to which version, in microseconds since 1970. */
export type Sightings = ReadonlyMap<string, number>;

/** How well a follower kept up with the writes. */
export interface Delivery {
  /** Accepted writes that the follower never saw. */
  lost: number;
  /** Between the server's word that a write was accepted and the follower's sight of it. */
  p50Ms: number;
  p99Ms: number;
  /** Writes a second, from the first that was accepted to the last that was seen. */
  perSecond: number;
}

/** The same with what it took. */
export interface CostedDelivery extends Delivery {
  cpuMicrosPerEvent: number;
}

/** Reads lines of a version and a time. */
export function parseSightings(text: string): Sightings {
  const found = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [version, time] = line.split(" ");
    if (version !== undefined && time !== undefined) found.set(version, Number(time));
  }
  return found;
}

/** Compares what was accepted with what was seen. */
export function compareSightings(accepted: Sightings, seen: Sightings): Delivery {
  const lags: number[] = [];
  let lost = 0;
  let first = Infinity;
  let last = -Infinity;
  for (const [version, acceptedAt] of accepted) {
    first = Math.min(first, acceptedAt);
    const seenAt = seen.get(version);
    if (seenAt === undefined) {
      lost += 1;
      continue;
    }
    last = Math.max(last, seenAt);
    // The event may overtake the answer to the write.
    lags.push(Math.max(0, seenAt - acceptedAt) / 1000);
  }
  lags.sort((a, b) => a - b);
  return {
    lost,
    p50Ms: quantile(lags, 0.5),
    p99Ms: quantile(lags, 0.99),
    perSecond: lags.length === 0 ? 0 : lags.length / ((last - first) / 1e6),
  };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
