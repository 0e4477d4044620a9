// Leader election with a Lease: at most one process writes, whatever happens to clocks and connections.
import type { ApiClient } from "./api-client";
import { isAlreadyExists, isConflict, isNotFound } from "./api-error";
import { sleep, type Clock } from "./clock";
import { errorMessage } from "../../lib/failure";
import { claim, isFree, LEASES, observe, type Lease, type Observation } from "./lease";
import { silentLogger, type Logger } from "./log";

/** Which lease is wanted, by whom, and how patiently. */
export interface LeaderElectionOptions {
  namespace: string;
  name: string;
  /** Must differ between processes: the name of the pod and something random. */
  identity: string;
  /** Others wait this long before they take a lease that is not renewed. @default 15000 */
  leaseMs?: number;
  /** The leader steps down this long after its last renewal. Must be less than `leaseMs`. @default 10000 */
  renewDeadlineMs?: number;
  /** Time between two attempts. @default 2000 */
  retryMs?: number;
  log?: Logger;
}

/** This process does not lead, or cannot be sure that it does, and so must not write. */
export class NotLeaderError extends Error {
  override readonly name = "NotLeaderError";
}

/**
 * Leadership by a Lease. A lease is no lock: a process that was paused does not know that it has been overtaken. Two
 * things make that harmless. Every write asks {@link assertLeading} right before it is sent, which checks the monotonic
 * clock and not at what a timer may not have had the time to say; and writes carry preconditions.
 */
export class LeaderElection {
  readonly #client: ApiClient;
  readonly #clock: Clock;
  readonly #options: Required<LeaderElectionOptions>;
  readonly #log: Logger;
  #observation: Observation | undefined;
  /** When the request of the last good renewal was *sent*: the server's count cannot have begun earlier. */
  #renewedAt: number | undefined;
  #mustRead = true;

  /** The client should be one of its own: a renewal must not wait behind the rate limit of the controllers. */
  constructor(client: ApiClient, options: LeaderElectionOptions) {
    this.#client = client;
    this.#clock = client.clock;
    this.#options = {
      leaseMs: 15_000,
      renewDeadlineMs: 10_000,
      retryMs: 2000,
      log: silentLogger,
      ...options,
    };
    const { leaseMs, renewDeadlineMs, retryMs, identity } = this.#options;
    if (!(retryMs < renewDeadlineMs && renewDeadlineMs < leaseMs)) {
      throw new Error(
        `Leader election needs retryMs < renewDeadlineMs < leaseMs, but they are ${retryMs}, ${renewDeadlineMs} and ${leaseMs}: with others, two could lead at once.`,
      );
    }
    if (leaseMs % 1000 !== 0)
      throw new Error(`leaseMs is ${leaseMs}: a lease counts in whole seconds, give a multiple of 1000.`);
    this.#log = this.#options.log.with({ lease: `${options.namespace}/${options.name}`, identity });
    client.metrics.leader.source({ name: options.name }, () => (this.isLeading ? 1 : 0));
  }

  get isLeading(): boolean {
    return (
      this.#renewedAt !== undefined &&
      this.#clock.monotonic() - this.#renewedAt < this.#options.renewDeadlineMs
    );
  }

  /** Who holds the lease as far as is known; undefined before the first look. */
  get leader(): string | undefined {
    return this.#observation?.lease.spec?.holderIdentity;
  }

  /** Throws unless this process leads right now. */
  assertLeading(): void {
    if (this.isLeading) return;
    const { namespace, name } = this.#options;
    throw new NotLeaderError(
      `Not writing: this process does not hold the lease ${namespace}/${name}; ${this.leader ? `it is with ${this.leader}` : "nobody is known to hold it"}.`,
    );
  }

  /**
   * Campaigns until the signal aborts. Each time it wins it calls `lead`, whose signal aborts when leadership ends; the
   * next campaign begins only when `lead` has returned. At the end the lease is given back.
   */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      if (await this.#attempt(signal)) await this.#reign(signal, lead);
      else await sleep(this.#clock, this.#options.retryMs * (1 + Math.random() / 5), signal);
    }
  }

  async #reign(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#log.info("This process leads.");
    const reign = new AbortController();
    const work = lead(reign.signal).catch((error: unknown) => {
      this.#log.error("What the leader does failed.", { cause: errorMessage(error) });
    });
    const finished = new AbortController();
    void work.then(() => finished.abort());
    const wanted = AbortSignal.any([signal, finished.signal]);
    const reigns = (): boolean => !wanted.aborted && this.isLeading;
    while (reigns()) {
      await sleep(this.#clock, this.#options.retryMs, wanted);
      if (!reigns()) break;
      const renewed = await this.#attempt(signal);
      if (!renewed && this.leader !== this.#options.identity) break;
    }
    const lost = !wanted.aborted;
    if (lost) {
      this.#renewedAt = undefined;
      this.#log.warn("This process leads no longer; what it did is stopped.", { leader: this.leader });
    }
    reign.abort();
    await work;
    if (!lost) await this.#release();
    this.#renewedAt = undefined;
  }

  /** Takes or renews the lease if that is possible. */
  async #attempt(signal: AbortSignal): Promise<boolean> {
    const sentAt = this.#clock.monotonic();
    // An answer that comes after the deadline is of no use: the next attempt is better made on a new connection.
    const { renewDeadlineMs, retryMs } = this.#options;
    const limit = new AbortController();
    const cancel = this.#clock.schedule(Math.max(retryMs, renewDeadlineMs / 2), () => limit.abort());
    try {
      const lease = await this.#take(AbortSignal.any([signal, limit.signal]));
      this.#observation = observe(this.#observation, lease, this.#clock.monotonic());
      if (lease.spec?.holderIdentity !== this.#options.identity) return false;
      this.#renewedAt = sentAt;
      return true;
    } catch (error) {
      if (!signal.aborted)
        this.#log.info("The lease could not be read or renewed.", { cause: errorMessage(error) });
      // A conflict: somebody wrote it. What we remember of it is old, read it again next time.
      if (isConflict(error) || isNotFound(error) || isAlreadyExists(error)) this.#mustRead = true;
      return false;
    } finally {
      cancel();
    }
  }

  async #take(signal: AbortSignal): Promise<Lease> {
    const { namespace, name, identity, leaseMs } = this.#options;
    const seconds = leaseMs / 1000;
    const known = this.#observation?.lease;
    const now = this.#clock.now();
    // The holder renews by one write: its resourceVersion makes a read before it needless.
    if (!this.#mustRead && known?.spec?.holderIdentity === identity) {
      return this.#client.update(
        LEASES,
        { ...known, spec: claim(known.spec, identity, seconds, now) },
        { signal },
      );
    }
    let found: Lease;
    try {
      found = await this.#client.get(LEASES, { namespace, name }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const made = { metadata: { namespace, name }, spec: claim(undefined, identity, seconds, now) };
      return this.#client.create(LEASES, made, signal);
    }
    this.#mustRead = false;
    this.#observation = observe(this.#observation, found, this.#clock.monotonic());
    if (!isFree(this.#observation, identity, this.#clock.monotonic())) return found;
    return this.#client.update(
      LEASES,
      { ...found, spec: claim(found.spec, identity, seconds, now) },
      { signal },
    );
  }

  async #release(): Promise<void> {
    const { namespace, name, identity } = this.#options;
    let lease = this.#observation?.lease;
    this.#renewedAt = undefined;
    this.#observation = undefined;
    try {
      while (lease?.spec?.holderIdentity === identity) {
        const spec = { ...claim(lease.spec, identity, 1, this.#clock.now()), holderIdentity: "" };
        try {
          await this.#client.update(LEASES, { ...lease, spec });
          return;
        } catch (error) {
          // The renewal that was aborted at shutdown may have reached the server; there is only one.
          if (!isConflict(error)) throw error;
          lease = await this.#client.get(LEASES, { namespace, name });
        }
      }
    } catch (error) {
      this.#log.info("Could not release the lease; it will expire.", { cause: errorMessage(error) });
    }
  }
}
