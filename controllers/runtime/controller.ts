// A controller: workers that take keys from a queue and reconcile them, with a deadline and retries.
import { setMaxListeners } from "node:events";
import { ApiError, isConflict } from "./api-error";
import { isOutage } from "./breaker";
import { systemClock, type Clock } from "./clock";
import { errorMessage } from "../../lib/failure";
import type { Informer } from "./informer";
import { silentLogger, type Logger } from "./log";
import { Metrics } from "./metrics";
import { keyOf, type KubernetesObject } from "./object";
import { WorkQueue, type WorkQueueOptions } from "./work-queue";

/** What a reconcile has besides the key. */
export interface ReconcileContext {
  /** Aborts at the deadline and when the process stops: hand it to every request. */
  signal: AbortSignal;
  log: Logger;
  clock: Clock;
}

/** What a reconcile says at the end: nothing if it is done, or when to come again. */
export interface ReconcileResult {
  requeueAfterMs?: number;
  /**
   * The same as a time of the wall clock, in milliseconds since 1970: for what falls due by it, such as the end of a
   * token. The key comes at least every minute until then, so that a clock that is set right is noticed. The earlier
   * of both counts.
   */
  requeueAt?: number;
}

/** A wait for a time of the wall clock is cut to this: timers do not notice when somebody sets the clock. */
const MAX_WAIT_FOR_WALL_CLOCK_MS = 60_000;
/** What is due already does not come at once: a reconcile that cannot help it would come as fast as it can run. */
const MIN_WAIT_FOR_WALL_CLOCK_MS = 500;

/** Brings one object to its declared state. Level-based: it looks at what is, never at what happened. */
export type Reconcile = (key: string, context: ReconcileContext) => Promise<ReconcileResult | undefined>;

/** How a controller works. */
export interface ControllerOptions extends Pick<WorkQueueOptions, "backoff" | "groups" | "random"> {
  name: string;
  reconcile: Reconcile;
  /** Keys that are worked on at the same time. @default 4 */
  concurrency?: number;
  /** How long one reconcile may take. @default 60000 */
  deadlineMs?: number;
  clock?: Clock;
  log?: Logger;
  metrics?: Metrics;
}

interface Source {
  synced(): Promise<void>;
  /** The keys of all that is there. */
  keys(): Iterable<string>;
}

/** Works through the keys of one kind. */
export class Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #options: Required<Pick<ControllerOptions, "reconcile" | "concurrency" | "deadlineMs">>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: Metrics;
  readonly #sources: Source[] = [];

  constructor(options: ControllerOptions) {
    const { name, reconcile, concurrency = 4, deadlineMs = 60_000 } = options;
    this.name = name;
    this.#options = { reconcile, concurrency, deadlineMs };
    this.#clock = options.clock ?? systemClock;
    this.#log = (options.log ?? silentLogger).with({ controller: name });
    this.#metrics = options.metrics ?? new Metrics();
    this.queue = new WorkQueue({
      name,
      clock: this.#clock,
      metrics: this.#metrics,
      ...(options.backoff === undefined ? {} : { backoff: options.backoff }),
      ...(options.groups === undefined ? {} : { groups: options.groups }),
      ...(options.random === undefined ? {} : { random: options.random }),
    });
  }

  /**
   * Adds keys when objects change. Without a mapping the key is the object's own. A mapping is asked about the object
   * as it was and as it is, so that what it pointed to before is looked at too.
   */
  watches<T extends KubernetesObject>(
    informer: Informer<T>,
    keysOf: (object: T) => Iterable<string> = (object) => [keyOf(object)],
  ): this {
    this.#sources.push({
      synced: () => informer.synced(),
      keys: () => informer.list().flatMap((object) => [...keysOf(object)]),
    });
    // An object that we made and somebody deleted within the gap is known by the keys of other sources alone.
    informer.onGap(() => {
      for (const source of this.#sources) for (const key of source.keys()) this.queue.add(key);
    });
    informer.onChange(({ before, after }) => {
      for (const object of [before, after]) {
        if (object !== undefined) for (const key of keysOf(object)) this.queue.add(key);
      }
    });
    return this;
  }

  /**
   * Works until the signal aborts, beginning when all that it watches is there; then ends what is under way. It may run
   * again later, as leadership comes and goes: the queue keeps what is to be done.
   */
  async run(signal: AbortSignal): Promise<void> {
    // Every worker of every controller waits for the same end; that is no leak.
    setMaxListeners(0, signal);
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([Promise.all(this.#sources.map((source) => source.synced())), stopped]);
    await Promise.all(Array.from({ length: this.#options.concurrency }, () => this.#work(signal)));
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let key = await this.queue.take(signal); key !== undefined; key = await this.queue.take(signal)) {
      if (signal.aborted) {
        // It was handed out just as the end came.
        this.#comeAgain(key);
        return;
      }
      await this.#reconcileWithin(key, signal);
      // Lets timers, sockets and the other controllers have their turn, however fast the reconciles are.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Resolves at the end of the reconcile or at its deadline; the key stays taken until the end. */
  async #reconcileWithin(key: string, signal: AbortSignal): Promise<void> {
    const { deadlineMs } = this.#options;
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const log = this.#log.with({ key });
    const work = this.#reconcile(key, { signal: controller.signal, log, clock: this.#clock }, signal).finally(
      () => {
        signal.removeEventListener("abort", onAbort);
      },
    );
    let cancel: () => void = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#clock.schedule(deadlineMs, () => {
        this.#metrics.reconciles.add({ controller: this.name, result: "late" });
        log.error("The reconcile exceeded its deadline and was aborted.", { deadlineMs });
        controller.abort(new Error(`The reconcile took longer than ${deadlineMs} ms.`));
        // One that does not listen must not take the worker with it; its key alone waits for it.
        setImmediate(resolve);
      });
    });
    await Promise.race([work, late]);
    cancel();
  }

  async #reconcile(key: string, context: ReconcileContext, stop: AbortSignal): Promise<void> {
    const started = this.#clock.monotonic();
    let result = "success";
    try {
      const wait = this.#waitOf((await this.#options.reconcile(key, context)) ?? {});
      this.queue.forget(key);
      this.queue.answered(key);
      if (wait !== undefined) {
        result = "requeue";
        this.queue.addAfter(key, wait);
      }
    } catch (error) {
      // Somebody else wrote in between: the cache will soon show it, so this is no error.
      result = isConflict(error) ? "conflict" : "error";
      const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
      if (!stop.aborted) {
        if (isOutage(error)) this.queue.failed(key);
        else this.queue.answered(key);
        const waitMs = Math.round(this.queue.addAfterFailure(key, asked));
        const fields = { cause: errorMessage(error), failures: this.queue.failures(key), waitMs };
        if (result === "conflict") context.log.debug("The object changed meanwhile; trying again.", fields);
        else context.log.error("The reconcile failed; trying again.", fields);
      }
    } finally {
      // What was stopped half-way is looked at again when this process leads again, also if it took the end for an
      // answer: nobody else remembers that it was due.
      if (stop.aborted) this.#comeAgain(key);
      else this.queue.done(key);
      this.#metrics.reconciles.add({ controller: this.name, result });
      this.#metrics.reconcileSeconds.observe((this.#clock.monotonic() - started) / 1000, {
        controller: this.name,
      });
    }
  }

  #comeAgain(key: string): void {
    this.queue.add(key);
    this.queue.done(key);
  }

  #waitOf({ requeueAfterMs, requeueAt }: ReconcileResult): number | undefined {
    if (requeueAt === undefined) return requeueAfterMs;
    const left = Math.max(MIN_WAIT_FOR_WALL_CLOCK_MS, requeueAt - this.#clock.now());
    return Math.min(left, MAX_WAIT_FOR_WALL_CLOCK_MS, requeueAfterMs ?? Infinity);
  }
}
