import { setTimeout as pause } from "node:timers/promises";
import type { Aws, CloudState } from "../aws";
import { errorMessage } from "../../lib/failure";
import { SERVICES_ADDRESS, type MachineHost } from "../machines";
import { AWS_PORT } from "./ports";
import { planSteps, type ActualState, type Step } from "./plan";
import { healthReports } from "./target-health";

/** Called with a line for each step of the reconciler. */
export type CloudLog = (line: string) => void;

/** A step that failed and is being retried. */
export interface StepError {
  key: string;
  step: Step["do"];
  message: string;
  since: string;
}

/** How often the machines' states are polled: they may end without a call of the AWS API. */
const POLL_MS = 1_000;
/** How often everything is compared without a sign of a change, in case one was missed. */
const RESYNC_MS = 30_000;
const RETRY_MS = { least: 250, most: 15_000 };

/** Reconciles machines, volumes and load balancers with the AWS API, and reports their state to it. */
export class Reconciler {
  readonly #busy = new Map<string, Promise<void>>();
  readonly #errors = new Map<string, StepError & { attempts: number }>();
  readonly #ending = new AbortController();
  #pass: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;
  #loop: Promise<void> | undefined;
  #stopWatching: () => void = () => {};

  constructor(
    private readonly aws: Aws,
    private readonly machineHost: MachineHost,
    private readonly log: CloudLog,
  ) {}

  /** Starts; returns after the first comparison. */
  async start(): Promise<void> {
    this.#stopWatching = this.machineHost.networkServices.onHealth(() => void this.reconcile());
    await this.reconcile();
    this.#loop = this.#poll();
  }

  /** Compares both sides now and starts the steps that are needed. Concurrent calls share one comparison. */
  reconcile(): Promise<void> {
    this.#queued ??= this.#pass.then(async () => {
      this.#queued = undefined;
      this.#pass = this.#compare().catch((error: unknown) => this.#logError(error));
      await this.#pass;
    });
    return this.#queued;
  }

  /** Waits until these objects need no more steps. Returns false if the signal is aborted first. */
  async settled(concerns: (key: string) => boolean, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal.aborted) return false;
      const steps = await this.#steps().catch(() => undefined);
      const open = [...this.#busy].filter(([key]) => concerns(key)).map(([, work]) => work);
      if (open.length === 0 && steps?.some(({ key }) => concerns(key)) === false) return true;
      await this.reconcile();
      await Promise.race([Promise.all(open), pause(open.length === 0 ? 50 : 500)]);
    }
  }

  /** The steps that failed and are being retried. */
  get errors(): StepError[] {
    return [...this.#errors.values()].map(({ key, step, message, since }) => ({
      key,
      step,
      message,
      since,
    }));
  }

  /** Stops, and waits for the steps under way. */
  async stop(): Promise<void> {
    this.#stopWatching();
    this.#ending.abort();
    await this.#loop;
    await this.#pass;
    await Promise.all(this.#busy.values());
  }

  async #poll(): Promise<void> {
    const { signal } = this.#ending;
    let before = "";
    let looked = performance.now();
    while (!signal.aborted) {
      await pause(POLL_MS, undefined, { signal }).catch(() => {});
      const now = await this.#machineStates();
      if (now === before && performance.now() - looked < RESYNC_MS) continue;
      [before, looked] = [now, performance.now()];
      await this.reconcile();
    }
  }

  /** What changes without a call of the AWS API: the states of machines. Changes of health are pushed. */
  async #machineStates(): Promise<string> {
    const machines = await this.machineHost.list().catch(() => []);
    return machines.map(({ id, state, desired }) => `${id} ${state} ${desired}`).join();
  }

  async #seen(): Promise<ActualState> {
    const { volumes, networkServices } = this.machineHost;
    return {
      machines: await this.machineHost.list(),
      volumes: await volumes.list(),
      snapshots: await volumes.snapshots(),
      balancers: networkServices.loadBalancers(),
    };
  }

  async #steps(wanted?: CloudState): Promise<Step[]> {
    return planSteps(wanted ?? (await this.aws.state()), await this.#seen(), this.aws, Date.now());
  }

  async #compare(): Promise<void> {
    if (this.#ending.signal.aborted) return;
    const wanted = await this.aws.state();
    // Before a machine boots: nothing is open that was not declared, not even briefly.
    const { networkServices } = this.machineHost;
    await networkServices.setFirewall(wanted.security);
    await networkServices.setRouting(wanted.routing, [{ address: SERVICES_ADDRESS, port: AWS_PORT }]);
    const steps = await this.#steps(wanted);
    for (const key of this.#errors.keys())
      if (!this.#busy.has(key) && !steps.some((step) => step.key === key)) this.#errors.delete(key);
    for (const step of steps) {
      if (this.#busy.has(step.key)) continue;
      const work = this.#runStep(step).finally(() => {
        this.#busy.delete(step.key);
        if (!this.#ending.signal.aborted) void this.reconcile();
      });
      this.#busy.set(step.key, work);
    }
    for (const { targetGroupArn, target, health } of healthReports(wanted, await networkServices.health()))
      await this.aws.setTargetHealth(targetGroupArn, target, health);
  }

  async #runStep(step: Step): Promise<void> {
    const began = performance.now();
    try {
      await this.#act(step);
      this.#errors.delete(step.key);
      if (step.do !== "update")
        this.log(`${step.do} ${step.key} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      const before = this.#errors.get(step.key);
      const attempts = (before?.attempts ?? 0) + 1;
      const since = before?.since ?? new Date().toISOString();
      this.#errors.set(step.key, {
        key: step.key,
        step: step.do,
        message: errorMessage(error),
        since,
        attempts,
      });
      this.log(`${step.do} ${step.key} failed, retrying: ${errorMessage(error)}`);
      const wait = Math.min(RETRY_MS.least * 2 ** attempts, RETRY_MS.most);
      await pause(wait, undefined, { signal: this.#ending.signal }).catch(() => {});
    }
  }

  async #act(step: Step): Promise<void> {
    const { machineHost, aws } = this;
    const { volumes, networkServices } = machineHost;
    switch (step.do) {
      case "launch":
        return machineHost.launch(step.spec);
      case "start":
        return machineHost.start(step.key);
      case "stop":
        return machineHost.stop(step.key);
      case "terminate":
        return machineHost.terminate(step.key);
      case "report stopped":
        await machineHost.stop(step.key);
        return aws.setInstanceState(step.key, "stopped");
      case "report ended":
        return aws.machineEnded(step.key);
      case "update":
        return machineHost.update(step.key, step.changes);
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
        return networkServices.putLoadBalancer(step.spec);
      case "unbalance":
        return networkServices.removeLoadBalancer(step.key);
    }
  }

  #logError(error: unknown): void {
    if (!this.#ending.signal.aborted)
      this.log(`cannot compare machines with the AWS API: ${errorMessage(error)}`);
  }
}
