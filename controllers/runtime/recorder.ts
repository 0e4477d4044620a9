// Records Kubernetes events; repeated ones become one event with a count, and each object has a budget.
import { createHash } from "node:crypto";
import type { ApiClient } from "./api-client";
import { sleep } from "./clock";
import { EventWrites } from "./event-writes";
import { microTime } from "./lease";
import { silentLogger, type Logger } from "./log";
import { apiVersionOf, type KubernetesObject, type Resource } from "./object";
import { ObjectBudget } from "./object-budget";
import type { RateLimit } from "./rate-limiter";

/** What happened to an object, for those who run `kubectl describe` on it. */
export interface Occurrence {
  type: "Normal" | "Warning";
  /** One word in CamelCase. */
  reason: string;
  /** What was being done, one word in CamelCase. */
  action: string;
  note: string;
}

interface EventObject extends KubernetesObject {
  eventTime: string;
  type: string;
  reason: string;
  action: string;
  note: string;
  reportingController: string;
  reportingInstance: string;
  regarding: Record<string, string | undefined>;
  series?: { count: number; lastObservedTime: string };
}

const EVENTS: Resource<EventObject> = {
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
};

/** Who records, and how much. */
export interface RecorderOptions {
  /** Such as `fleetwright.dev/registry-controller`. */
  controller: string;
  /** The name of the pod or the machine. */
  instance: string;
  log?: Logger;
  /** Repetitions are written at most this often. @default 10000 */
  flushMs?: number;
  /** Something that was quiet for this long is a new event when it happens again. @default 360000 */
  seriesMs?: number;
  /** Kinds of occurrences that are remembered. @default 2000 */
  maxSeries?: number;
  /** Different notes of what is otherwise the same; from then on they are counted together. @default 10 */
  maxNotes?: number;
  /** Writes of events, apart from the limit of the client. @default 5 a second, 50 at once */
  rateLimit?: RateLimit;
  /** Writes that wait; more are dropped. @default 1000 */
  maxPending?: number;
}

/** Writes of events about one object, as client-go allows them: so many at once, then one more in this time. */
const PER_OBJECT = { burst: 25, refillMs: 300_000 };
/** How long the end of a process waits for its last events. */
const LAST_WRITES_MS = 3000;

interface Series {
  id: string;
  name: string;
  namespace: string;
  /** What it is about, for its budget. */
  object: string;
  count: number;
  lastAt: number;
  flush: (() => void) | undefined;
  written: Promise<boolean>;
}

/**
 * Records events of `events.k8s.io/v1`. The same thing again becomes a count, not another object; what differs only in its
 * note is the same thing after the first few. Whoever makes an object change all the time costs no more than the object's
 * budget. Never throws.
 */
export class Recorder {
  readonly #client: ApiClient;
  readonly #options: Required<Omit<RecorderOptions, "rateLimit" | "maxPending">>;
  readonly #series = new Map<string, Series>();
  /** How many different notes were recorded of what is otherwise the same. */
  readonly #notes = new Map<string, { count: number; lastAt: number }>();
  readonly #budget: ObjectBudget;
  readonly #writes: EventWrites;

  constructor(client: ApiClient, options: RecorderOptions) {
    const { rateLimit = { perSecond: 5, burst: 50 }, maxPending = 1000, ...others } = options;
    this.#client = client;
    this.#options = {
      log: silentLogger,
      flushMs: 10_000,
      seriesMs: 360_000,
      maxSeries: 2000,
      maxNotes: 10,
      ...others,
    };
    this.#budget = new ObjectBudget({ ...PER_OBJECT, maxKeys: this.#options.maxSeries }, client.clock);
    this.#writes = new EventWrites(client.limitedBy(rateLimit), this.#options.log, maxPending);
  }

  record(resource: Resource, object: KubernetesObject, occurrence: Occurrence): void {
    const now = this.#client.clock.monotonic();
    const { uid = "", namespace = "default", name } = object.metadata;
    const about = [resource.kind, namespace, name, uid].join("\0");
    const alike = [about, occurrence.type, occurrence.reason, occurrence.action].join("\0");
    const own = `${alike}\0${occurrence.note}`;
    const combines = !this.#isOpen(own, now) && this.#hasManyNotes(alike, now);
    const id = combines ? alike : own;
    const known = this.#series.get(id);
    if (known !== undefined && this.#isOpen(id, now)) {
      known.count += 1;
      known.lastAt = now;
      known.flush ??= this.#client.clock.schedule(this.#options.flushMs, () => void this.#flush(known));
      return;
    }
    known?.flush?.();
    if (!this.#budget.take(about)) {
      this.#client.metrics.recordedEvents.add({ result: "dropped" });
      return;
    }
    if (!combines) this.#countNote(alike, now);
    this.#makeRoom();
    const note = combines ? `(combined from similar events) ${occurrence.note}` : occurrence.note;
    const event = this.#event(resource, object, { ...occurrence, note }, namespace, id);
    this.#series.delete(id);
    this.#series.set(id, {
      id,
      name: event.metadata.name,
      namespace,
      object: about,
      count: 1,
      lastAt: now,
      flush: undefined,
      written: this.#writes.add("created", (client) => client.create(EVENTS, event)),
    });
  }

  /** Writes what is still to be counted, as far as that is quickly done. */
  async flush(): Promise<void> {
    const all = Promise.all(
      Array.from(this.#series.values(), (series) =>
        series.flush === undefined ? series.written : this.#flush(series),
      ),
    );
    const done = new AbortController();
    await Promise.race([all, sleep(this.#client.clock, LAST_WRITES_MS, done.signal)]);
    done.abort();
    this.#writes.clear();
  }

  #isOpen(id: string, now: number): boolean {
    const known = this.#series.get(id);
    return known !== undefined && now - known.lastAt < this.#options.seriesMs;
  }

  #hasManyNotes(alike: string, now: number): boolean {
    const known = this.#notes.get(alike);
    return (
      known !== undefined &&
      now - known.lastAt < this.#options.seriesMs &&
      known.count >= this.#options.maxNotes
    );
  }

  #countNote(alike: string, now: number): void {
    const known = this.#notes.get(alike);
    const goesOn = known !== undefined && now - known.lastAt < this.#options.seriesMs;
    this.#notes.delete(alike);
    this.#notes.set(alike, { count: goesOn ? known.count + 1 : 1, lastAt: now });
  }

  #makeRoom(): void {
    // The oldest stand first in a Map; a flood of different events thus costs no more than this.
    for (const [id, series] of this.#series) {
      if (this.#series.size < this.#options.maxSeries) break;
      if (series.flush !== undefined) {
        series.flush();
        void this.#flush(series);
      }
      this.#series.delete(id);
    }
    for (const alike of this.#notes.keys()) {
      if (this.#notes.size <= this.#options.maxSeries) break;
      this.#notes.delete(alike);
    }
  }

  async #flush(series: Series): Promise<void> {
    series.flush?.();
    series.flush = undefined;
    if (!(await series.written)) {
      this.#forget(series);
      return;
    }
    if (!this.#budget.take(series.object)) {
      // The count is kept; it is written when the object has its next turn.
      const wait = Math.max(this.#budget.waitMs(series.object), this.#options.flushMs);
      series.flush = this.#client.clock.schedule(wait, () => void this.#flush(series));
      return;
    }
    const patch = { series: { count: series.count, lastObservedTime: microTime(this.#client.clock.now()) } };
    series.written = this.#writes.add("counted", (client) => client.patch(EVENTS, series, patch));
    if (!(await series.written)) this.#forget(series);
  }

  /** Its event is not there, or not any more: when it happens again, it is a new one. */
  #forget(series: Series): void {
    if (this.#series.get(series.id) === series) this.#series.delete(series.id);
  }

  #event(
    resource: Resource,
    { metadata }: KubernetesObject,
    what: Occurrence,
    namespace: string,
    id: string,
  ): EventObject {
    const now = this.#client.clock.now();
    const hash = createHash("sha256")
      .update(`${id}\0${now}\0${this.#options.instance}`)
      .digest("hex")
      .slice(0, 16);
    return {
      metadata: { namespace, name: `${metadata.name.slice(0, 230)}.${hash}` },
      eventTime: microTime(now),
      type: what.type,
      reason: what.reason,
      action: what.action,
      // The server refuses notes of more than 1 kB.
      note: what.note.length > 1000 ? `${what.note.slice(0, 999)}…`.slice(0, 1000) : what.note,
      reportingController: this.#options.controller,
      reportingInstance: this.#options.instance.slice(0, 128),
      regarding: {
        apiVersion: apiVersionOf(resource),
        kind: resource.kind,
        name: metadata.name,
        namespace: metadata.namespace,
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
      },
    };
  }
}
