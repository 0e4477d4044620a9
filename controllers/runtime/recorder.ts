// Records Kubernetes events; repeated ones become one event with a count.
import { createHash } from "node:crypto";
import type { ApiClient } from "./api-client";
import { isNotFound } from "./api-error";
import { errorMessage } from "./errors";
import { microTime } from "./lease";
import { silentLogger, type Logger } from "./log";
import { apiVersionOf, type KubernetesObject, type Resource } from "./object";

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
}

interface Series {
  name: string;
  namespace: string;
  count: number;
  lastAt: number;
  flush: (() => void) | undefined;
  written: Promise<boolean>;
}

/** Records events of `events.k8s.io/v1`. The same thing again becomes a count, not another object. Never throws. */
export class Recorder {
  readonly #client: ApiClient;
  readonly #options: Required<RecorderOptions>;
  readonly #series = new Map<string, Series>();

  constructor(client: ApiClient, options: RecorderOptions) {
    this.#client = client;
    this.#options = { log: silentLogger, flushMs: 10_000, seriesMs: 360_000, maxSeries: 2000, ...options };
  }

  record(resource: Resource, object: KubernetesObject, occurrence: Occurrence): void {
    const now = this.#client.clock.monotonic();
    const { uid = "", namespace = "default" } = object.metadata;
    const id = [
      resource.kind,
      namespace,
      object.metadata.name,
      uid,
      occurrence.type,
      occurrence.reason,
      occurrence.action,
      occurrence.note,
    ].join("\0");
    const known = this.#series.get(id);
    if (known !== undefined && now - known.lastAt < this.#options.seriesMs) {
      known.count += 1;
      known.lastAt = now;
      known.flush ??= this.#client.clock.schedule(this.#options.flushMs, () => void this.#flush(known));
      return;
    }
    known?.flush?.();
    this.#makeRoom();
    const event = this.#event(resource, object, occurrence, namespace, id);
    const series = { name: event.metadata.name, namespace, count: 1, lastAt: now, flush: undefined };
    this.#series.set(id, {
      ...series,
      written: this.#write("created", () => this.#client.create(EVENTS, event)),
    });
  }

  /** Writes what is still to be counted. */
  async flush(): Promise<void> {
    await Promise.all(
      Array.from(this.#series.values(), (series) =>
        series.flush === undefined ? series.written : this.#flush(series),
      ),
    );
  }

  #makeRoom(): void {
    // The oldest stand first in a Map; a flood of different events thus costs no more than this.
    for (const [id, series] of this.#series) {
      if (this.#series.size < this.#options.maxSeries) return;
      if (series.flush !== undefined) {
        series.flush();
        void this.#flush(series);
      }
      this.#series.delete(id);
    }
  }

  async #flush(series: Series): Promise<void> {
    series.flush?.();
    series.flush = undefined;
    if (!(await series.written)) return;
    const patch = { series: { count: series.count, lastObservedTime: microTime(this.#client.clock.now()) } };
    series.written = this.#write("counted", () => this.#client.patch(EVENTS, series, patch));
    await series.written;
  }

  async #write(result: string, send: () => Promise<unknown>): Promise<boolean> {
    const { metrics } = this.#client;
    try {
      await send();
      metrics.recordedEvents.add({ result });
      return true;
    } catch (error) {
      metrics.recordedEvents.add({ result: "failed" });
      // Events live for an hour on most servers; that one is gone is no news.
      if (!isNotFound(error))
        this.#options.log.info("An event could not be recorded.", { cause: errorMessage(error) });
      return false;
    }
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
