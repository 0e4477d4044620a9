import type { Random } from "../../../controllers/runtime/backoff";
import type { Fault, FaultPlan } from "./fault-proxy";

/** Faults that strike a share of the requests, all drawn from one source of random numbers. */
export function randomFaults(random: Random, share: number): FaultPlan {
  const upTo = (limit: number): number => Math.floor(random() * limit);
  const ofWatch: readonly (() => Fault)[] = [
    () => ({ kind: "cut", afterBytes: 1 + upTo(4000) }),
    () => ({ kind: "truncate", atByte: 1 + upTo(4000) }),
    () => ({ kind: "stall", afterBytes: 1 + upTo(2000) }),
    () => ({ kind: "goneEvent", afterLines: 1 + upTo(6) }),
    () => ({ kind: "garble", afterLines: 1 + upTo(6) }),
    () => ({ kind: "status", code: 410 }),
  ];
  const ofRead: readonly (() => Fault)[] = [
    () => ({ kind: "cut", afterBytes: 1 + upTo(3000) }),
    () => ({ kind: "truncate", atByte: 1 + upTo(3000) }),
    () => ({ kind: "status", code: 410 }),
  ];
  const ofAny: readonly (() => Fault)[] = [
    () => ({ kind: "delay", ms: upTo(120) }),
    () => ({ kind: "status", code: 429, retryAfter: "0.05" }),
    () => ({ kind: "status", code: [500, 502, 503, 504][upTo(4)] ?? 500 }),
    () => ({ kind: "dropReply" }),
  ];
  return ({ method, query }) => {
    if (random() >= share) return undefined;
    const kinds = query.has("watch")
      ? [...ofWatch, ...ofAny]
      : method === "GET"
        ? [...ofRead, ...ofAny]
        : ofAny;
    return kinds[upTo(kinds.length)]?.();
  };
}
