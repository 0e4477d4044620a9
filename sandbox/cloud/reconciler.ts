import { setTimeout as pause } from "node:timers/promises";
import type { Aws, CloudState } from "../aws";
import { errorMessage } from "../failure";
import type { MachineHall } from "../machines";
import { planSteps, type Seen, type Step } from "./plan";
import { healthReports } from "./target-health";

/** How a reconciler tells what it does. */
export type CloudLog = (line: string) => void;

/** A thing that could not be done; it is tried again. */
export interface Trouble {
  key: string;
  step: Step["do"];
  message: string;
  since: string;
}

/** Machines may end without a call of AWS's API. */
const GLANCE_MS = 1_000;
/** Reading all of AWS's state is work; without a sign of a change it is done now and then, in case a sign was missed. */
const LOOK_MS = 30_000;
const RETRY_MS = { least: 250, most: 15_000 };

/** Makes machines, volumes and load balancers be what AWS's API says, and tells the API what happened to them. */
export class Reconciler {
  readonly #busy = new Map<string, Promise<void>>();
  readonly #troubles = new Map<string, Trouble & { attempts: number }>();
  readonly #ending = new AbortController();
  #pass: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;
  #loop: Promise<void> | undefined;
  #stopWatching: () => void = () => {};

  constructor(
    private readonly aws: Aws,
    private readonly hall: MachineHall,
    private readonly log: CloudLog,
  ) {}

  /** Begins; the first look is over when this is. */
  async start(): Promise<void> {
    this.#stopWatching = this.hall.switchboard.onHealth(() => void this.look());
    await this.look();
    this.#loop = this.#lookNowAndThen();
  }

  /** Compares both sides now, and begins what is to be done. Looks that are asked for together are one. */
  look(): Promise<void> {
    this.#queued ??= this.#pass.then(async () => {
      this.#queued = undefined;
      this.#pass = this.#compare().catch((error: unknown) => this.#complain(error));
      await this.#pass;
    });
    return this.#queued;
  }

  /** Waits until nothing is left to do for these objects. Gives up at the signal, and says so. */
  async settled(concerns: (key: string) => boolean, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal.aborted) return false;
      const steps = await this.#steps().catch(() => undefined);
      const open = [...this.#busy].filter(([key]) => concerns(key)).map(([, work]) => work);
      if (open.length === 0 && steps?.some(({ key }) => concerns(key)) === false) return true;
      await this.look();
      await Promise.race([Promise.all(open), pause(open.length === 0 ? 50 : 500)]);
    }
  }

  /** What could not be done so far. */
  get troubles(): Trouble[] {
    return [...this.#troubles.values()].map(({ key, step, message, since }) => ({
      key,
      step,
      message,
      since,
    }));
  }

  /** Ends; what is under way is waited for. */
  async stop(): Promise<void> {
    this.#stopWatching();
    this.#ending.abort();
    await this.#loop;
    await this.#pass;
    await Promise.all(this.#busy.values());
  }

  async #lookNowAndThen(): Promise<void> {
    const { signal } = this.#ending;
    let before = "";
    let looked = performance.now();
    while (!signal.aborted) {
      await pause(GLANCE_MS, undefined, { signal }).catch(() => {});
      const now = await this.#glance();
      if (now === before && performance.now() - looked < LOOK_MS) continue;
      [before, looked] = [now, performance.now()];
      await this.look();
    }
  }

  /** What changes by itself: the states of machines. Health is told as it changes. */
  async #glance(): Promise<string> {
    const machines = await this.hall.list().catch(() => []);
    return machines.map(({ id, state, desired }) => `${id} ${state} ${desired}`).join();
  }

  async #seen(): Promise<Seen> {
    const { volumes, switchboard } = this.hall;
    return {
      machines: await this.hall.list(),
      volumes: await volumes.list(),
      snapshots: await volumes.snapshots(),
      balancers: switchboard.balancers(),
    };
  }

  async #steps(wanted?: CloudState): Promise<Step[]> {
    return planSteps(wanted ?? (await this.aws.state()), await this.#seen(), this.aws, Date.now());
  }

  async #compare(): Promise<void> {
    if (this.#ending.signal.aborted) return;
    const wanted = await this.aws.state();
    const steps = await this.#steps(wanted);
    for (const key of this.#troubles.keys())
      if (!this.#busy.has(key) && !steps.some((step) => step.key === key)) this.#troubles.delete(key);
    for (const step of steps) {
      if (this.#busy.has(step.key)) continue;
      const work = this.#carryOut(step).finally(() => {
        this.#busy.delete(step.key);
        if (!this.#ending.signal.aborted) void this.look();
      });
      this.#busy.set(step.key, work);
    }
    for (const { targetGroupArn, target, health } of healthReports(
      wanted,
      await this.hall.switchboard.health(),
    ))
      await this.aws.setTargetHealth(targetGroupArn, target, health);
  }

  async #carryOut(step: Step): Promise<void> {
    const began = performance.now();
    try {
      await this.#act(step);
      this.#troubles.delete(step.key);
      if (step.do !== "update")
        this.log(`${step.do} ${step.key} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      const before = this.#troubles.get(step.key);
      const attempts = (before?.attempts ?? 0) + 1;
      const since = before?.since ?? new Date().toISOString();
      this.#troubles.set(step.key, {
        key: step.key,
        step: step.do,
        message: errorMessage(error),
        since,
        attempts,
      });
      this.log(`${step.do} ${step.key} failed, and is tried again: ${errorMessage(error)}`);
      const wait = Math.min(RETRY_MS.least * 2 ** attempts, RETRY_MS.most);
      await pause(wait, undefined, { signal: this.#ending.signal }).catch(() => {});
    }
  }

  async #act(step: Step): Promise<void> {
    const { hall, aws } = this;
    const { volumes, switchboard } = hall;
    switch (step.do) {
      case "launch":
        return hall.launch(step.spec);
      case "start":
        return hall.start(step.key);
      case "stop":
        return hall.stop(step.key);
      case "terminate":
        return hall.terminate(step.key);
      case "report stopped":
        await hall.stop(step.key);
        return aws.setInstanceState(step.key, "stopped");
      case "update":
        return hall.update(step.key, step.changes);
      case "create volume":
        return volumes.create(
          { id: step.key, sizeGiB: step.sizeGiB },
          step.snapshotId === undefined ? {} : { fromSnapshot: step.snapshotId },
        );
      case "resize volume":
        return volumes.resize(step.key, step.sizeGiB);
      case "delete volume":
        return volumes.delete(step.key);
      case "attach volume":
        return volumes.attach(step.key, step.machineId, step.device);
      case "detach volume":
        return volumes.detach(step.key, { signal: this.#ending.signal });
      case "take snapshot":
        return volumes.snapshot(step.volumeId, step.key);
      case "delete snapshot":
        return volumes.deleteSnapshot(step.key);
      case "balance":
        return switchboard.balance(step.spec);
      case "unbalance":
        return switchboard.unbalance(step.key);
    }
  }

  #complain(error: unknown): void {
    if (!this.#ending.signal.aborted) this.log(`could not compare machines with AWS: ${errorMessage(error)}`);
  }
}
