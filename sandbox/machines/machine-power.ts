import { waitFor } from "../../lib/deadline";
import { Failure } from "../../lib/failure";
import { isRunning, type ProcessIdentity } from "../../lib/process";
import { bootMachine, removeMachineProcesses } from "./machine";
import { acceptsCommands, leaderOf, signalMachine } from "./machine-shell";
import type { SandboxNetwork } from "./network";
import type { HostRecord, MachineRecord } from "./record";

/** What powering machines on and off needs of their host. */
export interface MachinePowerContext {
  dir: string;
  key: string;
  network: SandboxNetwork;
  record: () => HostRecord;
  save: () => void;
  /** The root folder of the machines' image. */
  image: () => Promise<string>;
  /** Called when a machine has its network and is about to boot. */
  beforeBoot: (id: string) => Promise<void>;
}

/** Powers machines on and off. Whoever calls makes sure that there is one call at a time for each machine. */
export class MachinePower {
  constructor(private readonly context: MachinePowerContext) {}

  /** Boots a machine, whatever is left of its last run. */
  async on(id: string): Promise<void> {
    const { dir, key, network, record, save } = this.context;
    const image = await this.context.image();
    const machine = this.#machine(id);
    const { spec } = machine;
    await removeMachineProcesses(key, id);
    await network.addMachine(id, spec.privateIp, spec.subnetCidr);
    delete machine.process;
    await this.context.beforeBoot(id);
    machine.process = await bootMachine(spec, {
      ...{ dir, key, image },
      networkNamespace: network.machineNamespace(id),
      lifetime: record().lifetime,
    });
    save();
  }

  /** Shuts a machine down. One that takes longer than the grace period is killed. */
  async off(id: string, graceMs: number): Promise<void> {
    const { key, network, save } = this.context;
    const { process } = this.#machine(id);
    if (process !== undefined && isAlive(process) && graceMs > 0) {
      const ask = throttled(() => signalMachine(process, "powerOff"));
      const isOff = (): boolean => {
        ask();
        return !isAlive(process);
      };
      await waitFor(`machine ${id} to shut down`, isOff, { timeoutMs: graceMs, intervalMs: 20 }).catch(
        () => {},
      );
    }
    await removeMachineProcesses(key, id);
    await network.removeMachine(id);
    delete this.#machine(id).process;
    save();
  }

  /** Reboots a machine. One that takes longer than the grace period is killed and booted. */
  async cycle(id: string, graceMs: number): Promise<void> {
    const { process } = this.#machine(id);
    if (process === undefined || !isAlive(process)) return this.on(id);
    const before = leaderOf(process);
    const ask = throttled(() => signalMachine(process, "reboot"));
    const isBack = (): boolean => {
      if (leaderOf(process) === before) ask();
      return leaderOf(process) !== before && acceptsCommands(process);
    };
    try {
      await waitFor(`machine ${id} to reboot`, isBack, { timeoutMs: graceMs, intervalMs: 20 });
    } catch {
      await this.off(id, 0);
      await this.on(id);
    }
  }

  #machine(id: string): MachineRecord {
    return machineOf(this.context.record(), id);
  }
}

/** A machine's entry in the record. */
export function machineOf(record: HostRecord, id: string): MachineRecord {
  const machine = record.machines[id];
  if (machine === undefined) throw new Failure(`There is no machine ${id}.`);
  return machine;
}

/** Whether a machine's process runs. */
export function isAlive(identity: ProcessIdentity | undefined): identity is ProcessIdentity {
  return identity !== undefined && isRunning(identity);
}

/** Repeats a signal once a second: a systemd that is still starting does not take it. */
function throttled(signal: () => unknown): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - last < 1000) return;
    last = performance.now();
    signal();
  };
}
