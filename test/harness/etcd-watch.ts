// Whether etcd kept its majority while something was done to its servers: asked every second, of each member itself.
import { setTimeout as pause } from "node:timers/promises";
import type { MachineHost } from "../../sandbox/machines";

/** etcd's own answer, which takes a read that a majority has agreed to. A refused connection ends curl with 7. */
const ASK = ["curl", "--silent", "--output", "/dev/null", "--max-time", "4", "--write-out", "%{http_code}"];
const HEALTH = "http://127.0.0.1:2381/health";
const SECOND = 1000;

/** What was seen of etcd, second by second. */
export interface EtcdSeen {
  readonly seconds: number;
  /** The fewest members that ran at once. */
  readonly fewestUp: number;
  /** Seconds in which fewer than a majority ran: the quorum was lost. */
  readonly withoutQuorum: number;
  /** Seconds in which a majority ran and none of them agreed to a read: it was choosing a leader. */
  readonly choosing: number;
  /** The most of those in a row. */
  readonly longestChoice: number;
}

interface Answer {
  readonly isUp: boolean;
  readonly isHealthy: boolean;
}

/** Somebody who asks every member of etcd for its health each second. */
export class EtcdWatch {
  readonly #seconds: Promise<Answer[]>[] = [];
  #isOver = false;
  readonly #asking: Promise<void>;

  /** Begins to ask. `servers` are the names of the machines. */
  constructor(
    private readonly machineHost: MachineHost,
    private readonly servers: readonly string[],
  ) {
    this.#asking = this.#ask();
  }

  /** Ends, and counts. */
  async stop(): Promise<EtcdSeen> {
    this.#isOver = true;
    await this.#asking;
    return countSeconds(await Promise.all(this.#seconds), this.servers.length);
  }

  async #ask(): Promise<void> {
    for (let next = performance.now(); !this.#isOver; next += SECOND) {
      this.#seconds.push(this.#answers());
      await pause(Math.max(0, next + SECOND - performance.now()));
    }
  }

  async #answers(): Promise<Answer[]> {
    const machines = await this.machineHost.list();
    return Promise.all(
      machines
        .filter(({ spec, state }) => state === "running" && this.servers.includes(spec.tags.Name ?? ""))
        .map(({ id }) => this.#answerOf(id)),
    );
  }

  async #answerOf(id: string): Promise<Answer> {
    try {
      const { code, stdout } = await this.machineHost
        .inside(id)
        .attempt([...ASK, HEALTH], { timeoutMs: 10_000 });
      // 28 is curl's own for a time that is up: it was connected, and etcd was still choosing.
      return { isUp: code === 0 || code === 28, isHealthy: code === 0 && stdout === "200" };
    } catch {
      // The machine went between the list and the question.
      return { isUp: false, isHealthy: false };
    }
  }
}

/** Counts what was answered in each second by a datastore of so many members. */
export function countSeconds(seconds: readonly (readonly Answer[])[], members: number): EtcdSeen {
  const majority = Math.floor(members / 2) + 1;
  const up = seconds.map((answers) => answers.filter(({ isUp }) => isUp).length);
  const isChoosing = seconds.map(
    (answers, index) => (up[index] ?? 0) >= majority && !answers.some(({ isHealthy }) => isHealthy),
  );
  let [run, longestChoice] = [0, 0];
  for (const choosing of isChoosing) {
    run = choosing ? run + 1 : 0;
    longestChoice = Math.max(longestChoice, run);
  }
  return {
    seconds: seconds.length,
    fewestUp: Math.min(members, ...up),
    withoutQuorum: up.filter((count) => count < majority).length,
    choosing: isChoosing.filter(Boolean).length,
    longestChoice,
  };
}
