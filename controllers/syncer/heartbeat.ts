// Says to the hub that the member answers and how it is: a Lease in the cluster's own namespace, renewed in time. It is not renewed
// while the member does not answer: in the mode push the syncer runs beside the hub, and its own life says nothing of the member's.
import {
  isNotFound,
  LEASES,
  sleep,
  errorMessage,
  type ApiClient,
  type Informer,
  type Lease,
  type Logger,
} from "../runtime";
import type { NodeObject } from "./kinds";
import { HEARTBEAT, REPORT_ANNOTATION } from "./names";

/** How often, unless the hub wishes otherwise. */
const DEFAULT_SECONDS = 10;
const EARLY_MS = 1000;

/** What a syncer says of its member. */
export interface Report {
  /** What keeps it from its work; empty if nothing does. */
  problems: string[];
  /** Why the member is as good as gone; undefined if it answers. */
  unanswered?: string | undefined;
  /** The member's version of Kubernetes; missing if it did not answer. */
  version?: string | undefined;
  /** The UID of the member's namespace kube-system. */
  uid?: string | undefined;
  endpoint?: string | undefined;
  nodes?: { ready: number; total: number } | undefined;
  capacity?: Record<string, string> | undefined;
  allocatable?: Record<string, string> | undefined;
  synced: string[];
  /** Objects in the member that came from this hub and have no Share any more. */
  orphans: string[];
  certificateExpires?: string | undefined;
}

/** Renews the Lease of a cluster until the signal aborts. */
export class Heartbeat {
  readonly #hub: ApiClient;
  readonly #namespace: string;
  readonly #identity: string;
  readonly #report: (signal: AbortSignal) => Promise<Report>;
  readonly #log: Logger;
  #seconds = DEFAULT_SECONDS;
  /** While it begins, and what it says changes from one second to the next. */
  #early = 10;

  constructor(
    hub: ApiClient,
    { namespace, identity, log }: { namespace: string; identity: string; log: Logger },
    report: (signal: AbortSignal) => Promise<Report>,
  ) {
    this.#hub = hub;
    this.#namespace = namespace;
    this.#identity = identity;
    this.#report = report;
    this.#log = log;
  }

  async run(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      try {
        await this.#beat(signal);
      } catch (error) {
        if (!isOver()) this.#log.info("The heartbeat did not reach the hub.", { cause: errorMessage(error) });
      }
      this.#early -= 1;
      await sleep(this.#hub.clock, this.#early > 0 ? EARLY_MS : this.#seconds * 1000, signal);
    }
  }

  async #beat(signal: AbortSignal): Promise<void> {
    const report = await this.#report(signal);
    if (report.problems.length === 0 && report.nodes !== undefined) this.#early = 0;
    const renewTime = new Date(this.#hub.clock.now()).toISOString().replace("Z", "000Z");
    const answers = report.unanswered === undefined;
    const metadata = {
      name: HEARTBEAT,
      namespace: this.#namespace,
      annotations: { [REPORT_ANNOTATION]: JSON.stringify(report) },
    };
    const spec = { holderIdentity: this.#identity, ...(answers ? { renewTime } : {}) };
    let lease: Lease;
    try {
      lease = await this.#hub.patch<Lease>(LEASES, metadata, { metadata, spec }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const made = { metadata, spec: { ...spec, leaseDurationSeconds: DEFAULT_SECONDS } };
      lease = await this.#hub.create<Lease>(LEASES, made, signal);
    }
    // The more clusters there are, the more rarely the hub wants to hear from each.
    this.#seconds = Math.max(1, lease.spec?.leaseDurationSeconds ?? DEFAULT_SECONDS);
  }
}

/** Nodes, and what they have in all. */
export function nodeFacts(nodes: Informer<NodeObject>): Pick<Report, "nodes" | "capacity" | "allocatable"> {
  const all = nodes.list();
  const ready = all.filter(({ status }) =>
    status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"),
  ).length;
  return {
    nodes: { ready, total: all.length },
    capacity: sum(all.map(({ status }) => status?.capacity ?? {})),
    allocatable: sum(all.map(({ status }) => status?.allocatable ?? {})),
  };
}

const UNITS: Readonly<Record<string, number>> = {
  m: 0.001,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

function sum(lists: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const total = new Map<string, number>();
  for (const list of lists)
    for (const name of ["cpu", "memory", "pods"])
      if (list[name] !== undefined) total.set(name, (total.get(name) ?? 0) + numberOf(list[name]));
  return Object.fromEntries(
    [...total].map(([name, value]) => [
      name,
      name === "memory" ? `${Math.floor(value / 2 ** 20)}Mi` : `${Math.round(value * 1000) / 1000}`,
    ]),
  );
}

function numberOf(text: string): number {
  const found = /^([0-9.]+)([A-Za-z]*)$/.exec(text);
  return found === null ? 0 : Number(found[1]) * (UNITS[found[2] ?? ""] ?? 1);
}

/** A node without what the report does not need. */
export function reducedNode({ apiVersion, kind, metadata, status }: NodeObject): NodeObject {
  const { name, uid, resourceVersion } = metadata;
  const { capacity, allocatable, conditions = [] } = status ?? {};
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: {
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    status: {
      ...(capacity === undefined ? {} : { capacity }),
      ...(allocatable === undefined ? {} : { allocatable }),
      conditions: conditions.filter(({ type }) => type === "Ready"),
    },
  };
}
