// The host of the sandbox's machines: launches, powers, reboots and removes them, and restores them after a crash.
import { mkdir, realpath, rm } from "node:fs/promises";
import { identify, type Lifetime } from "../../lib/process";
import { ExitCode, Failure } from "../../lib/failure";
import { type Progress, silentProgress } from "../../lib/progress";
import { machineHostKey } from "./addresses";
import { type Availability, machinesAvailable } from "./availability";
import { cgroupOf, removeCgroup } from "./cgroup";
import { attempt, type CommandOptions, type CommandResult } from "./command";
import { ensureImage } from "./image";
import { raiseLimits } from "./kernel-limits";
import { KeyedMutex } from "../../lib/keyed-mutex";
import { copyRoot, machineFolder, removeMachineProcesses } from "./machine";
import { isAlive, machineOf, MachinePower } from "./machine-power";
import { MachineShell } from "./machine-shell";
import { consoleOutput, machineStates, type MachineState } from "./machine-state";
import { SandboxNetwork } from "./network";
import { NetworkServices } from "./network-services";
import {
  emptyRecord,
  readHostRecord,
  refuseDuplicate,
  refuseSecondOwner,
  without,
  writeHostRecord,
  type HostRecord,
} from "./record";
import { machineSpec, type MachineChanges, type MachineSpec } from "./spec";
import { VolumeStore } from "./volume-store";

/** The options of a machine host. */
export interface MachineHostOptions {
  /** Its folder; the same folder is the same machine host. Must not be on an overlay file system. */
  dir: string;
  /** "owned" machines end with this process, even if it is killed; "detached" ones live on. @default "owned" */
  lifetime?: Lifetime;
  /** The root folder of the machines' image. @default made and cached on first use */
  image?: string;
  progress?: Progress;
}

/** How long a machine may take to shut down before it is killed. */
const GRACE_MS = 20_000;

interface Opened {
  dir: string;
  key: string;
  network: SandboxNetwork;
  volumes: VolumeStore;
  networkServices: NetworkServices;
  power: MachinePower;
}

/**
 * The machines, volumes and load balancers of one sandbox. It does not know AWS: sandbox/cloud makes it follow the AWS
 * API. Every change is recorded in its folder before it is made, so that the next run can clean up and go on.
 */
export class MachineHost {
  readonly #mutex = new KeyedMutex();
  #closing = new AbortController();
  #record: HostRecord = emptyRecord();
  #opened: Opened | undefined;

  constructor(private readonly options: MachineHostOptions) {}

  /** Whether machines can run on this computer, and if not, why. */
  static available(): Availability {
    return machinesAvailable();
  }

  /** Cleans up after an earlier run, brings up the network and boots the machines that should run. */
  async open(): Promise<void> {
    const { network, volumes, networkServices, power } = await this.#prepare();
    const image = await this.#image();
    // What was tied to a process that is gone may be incomplete, so it is started again.
    const adopts = this.#record.lifetime === "detached" && networkServices.isServed;
    if (!adopts) {
      await this.#sweep();
      this.#record.lifetime = this.options.lifetime ?? "owned";
    }
    const owner = identify(process.pid);
    if (owner !== undefined) this.#record.owner = owner;
    this.#save();
    await raiseLimits(this.options.progress ?? silentProgress);
    await network.create(["chroot", image, "/usr/sbin/nft"]);
    await volumes.reconnect();
    await networkServices.open();
    const down = Object.values(this.#record.machines).filter(
      ({ desired, process }) => desired === "running" && !isAlive(process),
    );
    await Promise.all(down.map(({ spec: { id } }) => this.#mutex.runExclusive(id, () => power.on(id))));
  }

  /** Reads the record and takes possession of the folder; changes nothing in the system. */
  async #prepare(): Promise<Opened> {
    const availability = machinesAvailable();
    if (!availability.ok) throw new Failure(availability.reason, ExitCode.prerequisite);
    await mkdir(this.options.dir, { recursive: true, mode: 0o700 });
    const dir = await realpath(this.options.dir);
    const record = await readHostRecord(dir);
    refuseSecondOwner(dir, record);
    this.#record = record;
    this.#closing = new AbortController();
    const key = machineHostKey(dir);
    const network = new SandboxNetwork(key);
    const context = { dir, key, network, record: () => this.#record, save: () => this.#save() };
    const volumes = new VolumeStore({ ...context, closing: this.#closing.signal });
    const networkServices = new NetworkServices(context);
    const power = new MachinePower({
      ...context,
      image: () => this.#image(),
      beforeBoot: async (id) => {
        await volumes.show(id);
        await networkServices.update();
      },
    });
    this.#opened = { dir, key, network, volumes, networkServices, power };
    return this.#opened;
  }

  async #image(): Promise<string> {
    return this.options.image ?? (await ensureImage(this.options.progress ?? silentProgress));
  }

  /** The folder, for logs. */
  get dir(): string {
    return this.#current().dir;
  }

  /** The file of the sandbox's network namespace. */
  get namespace(): string {
    return this.#current().network.namespace;
  }

  /** The volumes. */
  get volumes(): VolumeStore {
    return this.#current().volumes;
  }

  /** Load balancers, port-forwards to the host's loopback address, and routes. */
  get networkServices(): NetworkServices {
    return this.#current().networkServices;
  }

  /** The command line that runs another one outside of every VPC, as on a laptop. */
  outside(argv: readonly string[]): string[] {
    return this.#current().network.outside(argv);
  }

  /** The command line that runs another one in the sandbox's network, where machines can be reached. */
  command(argv: readonly string[]): string[] {
    return this.#current().network.inside(argv);
  }

  /** Runs a command in the sandbox's network. */
  async exec(argv: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
    return attempt(this.command(argv), options);
  }

  /** Creates a machine and boots it. `rootFrom` is a stopped machine whose disk is copied. */
  async launch(spec: MachineSpec, options: { rootFrom?: string } = {}): Promise<void> {
    const checked = machineSpec.parse(spec);
    const { id } = checked;
    await this.#mutex.runExclusive(id, async () => {
      refuseDuplicate(this.#record, checked);
      if (options.rootFrom !== undefined) {
        if (isAlive(machineOf(this.#record, options.rootFrom).process))
          throw new Failure(`The machine ${options.rootFrom} is running: stop it before copying its disk.`);
        await copyRoot(this.#current().dir, options.rootFrom, id);
      }
      this.#record.machines[id] = { spec: checked, desired: "running" };
      this.#save();
      await this.#current().power.on(id);
    });
  }

  /** Boots a machine that does not run. */
  async start(id: string): Promise<void> {
    await this.#mutex.runExclusive(id, async () => {
      const machine = machineOf(this.#record, id);
      machine.desired = "running";
      this.#save();
      if (!isAlive(machine.process)) await this.#current().power.on(id);
    });
  }

  /** Shuts a machine down; its disk and volumes stay with it. */
  async stop(id: string, options: { graceMs?: number } = {}): Promise<void> {
    await this.#mutex.runExclusive(id, () => this.#shutDown(id, options.graceMs));
  }

  /** Reboots a machine. */
  async reboot(id: string, options: { graceMs?: number } = {}): Promise<void> {
    const { power } = this.#current();
    await this.#mutex.runExclusive(id, () => power.cycle(id, options.graceMs ?? GRACE_MS));
  }

  /** Shuts a machine down and deletes it with its disk; its volumes are detached and kept. */
  async terminate(id: string, options: { graceMs?: number } = {}): Promise<void> {
    await this.#mutex.runExclusive(id, async () => {
      await this.#shutDown(id, options.graceMs);
      const { volumes, dir, networkServices } = this.#current();
      await volumes.detachAll(id);
      await networkServices.removeRoutes(id);
      this.#record.machines = without(this.#record.machines, id);
      this.#save();
      await networkServices.update();
      await rm(machineFolder(dir, id).folder, { recursive: true, force: true });
    });
  }

  /** Kills a machine, as a power cut does. It stays down until it is started or the machine host is opened again. */
  async crash(id: string): Promise<void> {
    machineOf(this.#record, id);
    await removeMachineProcesses(this.#current().key, id);
  }

  /** Changes what the metadata service says about a machine, such as its role's credentials or its tags. */
  async update(id: string, changes: MachineChanges): Promise<void> {
    const machine = machineOf(this.#record, id);
    machine.spec = machineSpec.parse({ ...machine.spec, ...changes });
    this.#save();
    await this.networkServices.update();
  }

  /** All machines. */
  async list(): Promise<MachineState[]> {
    return machineStates(this.#current().dir, this.#record);
  }

  /** A machine's console output since its last start, and the whole log of cloud-init. */
  async console(id: string): Promise<string> {
    return consoleOutput(this.#current().dir, id);
  }

  /** Runs commands and copies files in a running machine, as root. */
  inside(id: string): MachineShell {
    const { process } = machineOf(this.#record, id);
    if (!isAlive(process)) throw new Failure(`The machine ${id} is not running.`);
    return new MachineShell(process);
  }

  /** Stops everything. Disks, volumes and desired states are kept: the next `open` goes on from there. */
  async close(options: { graceMs?: number } = {}): Promise<void> {
    const opened = this.#opened;
    if (opened === undefined) return;
    this.#closing.abort(new Failure("The sandbox's machines were closed."));
    const off = (id: string): Promise<void> => opened.power.off(id, options.graceMs ?? GRACE_MS);
    const ids = Object.keys(this.#record.machines);
    await Promise.all(ids.map((id) => this.#mutex.runExclusive(id, () => off(id))));
    await this.#sweep();
    delete this.#record.owner;
    this.#save();
    this.#opened = undefined;
  }

  /** Kills everything that an earlier run left, and cleans up after it. Needs no `open` before. */
  async clear(): Promise<void> {
    if (this.#opened === undefined) await this.#prepare();
    await this.close({ graceMs: 0 });
  }

  /** Stops everything and removes the folder with all disks and volumes. Needs no `open` before. */
  async destroy(): Promise<void> {
    const { dir } = this.#opened ?? (await this.#prepare());
    await this.clear();
    await rm(dir, { recursive: true, force: true });
  }

  /** Lets go of detached machines and leaves everything running. */
  leave(): void {
    delete this.#record.owner;
    this.#save();
    this.#closing.abort(new Failure("This process has left the sandbox's machines."));
    this.#opened = undefined;
  }

  async #shutDown(id: string, graceMs = GRACE_MS): Promise<void> {
    machineOf(this.#record, id).desired = "stopped";
    this.#save();
    await this.#current().power.off(id, graceMs);
  }

  /** Ends every process and removes everything from the system; the folder stays. */
  async #sweep(): Promise<void> {
    const { key, network, volumes, networkServices } = this.#current();
    await networkServices.close();
    for (const machine of Object.values(this.#record.machines)) {
      await removeMachineProcesses(key, machine.spec.id);
      delete machine.process;
    }
    await removeCgroup(cgroupOf(key));
    await network.remove();
    await volumes.disconnect();
    this.#save();
  }

  #save(): void {
    writeHostRecord(this.#current().dir, this.#record);
  }

  #current(): Opened {
    if (this.#opened === undefined) throw new Failure("The machine host is not open: call open() first.");
    return this.#opened;
  }
}
