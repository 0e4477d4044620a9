import { mkdir, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { waitFor } from "../deadline";
import { readIfPresent } from "../files";
import { identify, isRunning, type Lifetime, type ProcessIdentity } from "../process";
import { ExitCode, Failure } from "../failure";
import { type Progress, silentProgress } from "../progress";
import { hallKey } from "./addresses";
import { type Availability, machinesAvailable } from "./availability";
import { cgroupOf, removeCgroup } from "./cgroup";
import { attempt, run, type CommandOptions, type CommandResult } from "./command";
import { ensureImage } from "./image";
import { bootMachine, endOf, machineFolder, removeMachineProcesses } from "./machine";
import { raiseLimits } from "./kernel-limits";
import { leaderOf, MachineShell, signalMachine, takesOrders } from "./machine-shell";
import { SandboxNetwork } from "./network";
import {
  emptyRecord,
  readHallRecord,
  without,
  writeHallRecord,
  type HallRecord,
  type MachineRecord,
} from "./record";
import { machineSpec, type MachineSpec } from "./spec";
import { Switchboard } from "./switchboard";
import { Turns } from "./turns";
import { VolumeRack } from "./volume-rack";

/** How a hall is made. */
export interface HallOptions {
  /** Where everything of it lies; the same folder is the same hall. Must not be on an overlay file system. */
  dir: string;
  /** "owned" machines end with this process, even if it is killed; "detached" ones live on. @default "owned" */
  lifetime?: Lifetime;
  /** The root folder of the machines' image. @default made and cached on first use */
  image?: string;
  progress?: Progress;
}

/** A machine as it is now. "crashed" is one that should run and was killed. */
export interface MachineState {
  id: string;
  state: "running" | "stopped" | "crashed";
  /** What it should be; a machine that should run and is "stopped" switched itself off. */
  desired: "running" | "stopped";
  privateIp: string;
  spec: MachineSpec;
}

/** How long a machine may take to switch itself off before its power is cut. */
const GRACE_MS = 20_000;

/**
 * The machines, volumes and load balancers of one sandbox. It knows nothing of AWS: whoever serves the AWS API tells it
 * what to do. Everything is written down in its folder before it is done, so that the next run can clean up and go on.
 */
export class MachineHall {
  readonly #options: HallOptions;
  readonly #turns = new Turns();
  #closing = new AbortController();
  #record: HallRecord = emptyRecord();
  #opened: Opened | undefined;

  constructor(options: HallOptions) {
    this.#options = options;
  }

  /** Whether machines can run here, and if not, why. */
  static available(): Availability {
    return machinesAvailable();
  }

  /** Cleans up what an earlier run left, brings up the network and starts the machines that should run. */
  async open(): Promise<void> {
    const { network, volumes, switchboard } = await this.#prepare();
    const image = await this.#image();
    // What was tied to a process that is gone cannot be trusted to be whole, so it starts anew.
    const adopts = this.#record.lifetime === "detached" && switchboard.isServed;
    if (!adopts) {
      await this.#sweep();
      this.#record.lifetime = this.#options.lifetime ?? "owned";
    }
    const owner = identify(process.pid);
    if (owner !== undefined) this.#record.owner = owner;
    this.#save();
    await raiseLimits(this.#options.progress ?? silentProgress);
    await network.create(["chroot", image, "/usr/sbin/nft"]);
    await volumes.reconnect();
    await switchboard.open();
    const down = Object.values(this.#record.machines).filter(
      ({ desired, process }) => desired === "running" && !lives(process),
    );
    await Promise.all(down.map(({ spec }) => this.#turns.take(spec.id, () => this.#boot(spec.id))));
  }

  /** Reads what is written down and takes the folder; changes nothing in the system. */
  async #prepare(): Promise<Opened> {
    const availability = machinesAvailable();
    if (!availability.ok) throw new Failure(availability.reason, ExitCode.prerequisite);
    await mkdir(this.#options.dir, { recursive: true, mode: 0o700 });
    const dir = await realpath(this.#options.dir);
    const record = await readHallRecord(dir);
    refuseSecondOwner(dir, record);
    this.#record = record;
    this.#closing = new AbortController();
    const key = hallKey(dir);
    const network = new SandboxNetwork(key);
    const home = { dir, key, network, record: () => this.#record, save: () => this.#save() };
    const volumes = new VolumeRack({ ...home, closing: this.#closing.signal });
    this.#opened = { dir, key, network, volumes, switchboard: new Switchboard(home) };
    return this.#opened;
  }

  async #image(): Promise<string> {
    return this.#options.image ?? (await ensureImage(this.#options.progress ?? silentProgress));
  }

  /** The folder, for logs. */
  get dir(): string {
    return this.#home().dir;
  }

  /** The file of the sandbox's network namespace. */
  get namespace(): string {
    return this.#home().network.namespace;
  }

  /** The volumes. */
  get volumes(): VolumeRack {
    return this.#home().volumes;
  }

  /** Load balancers, doors to the host's loopback address, and routes. */
  get switchboard(): Switchboard {
    return this.#home().switchboard;
  }

  /** The command line that runs another one in the sandbox's network, where machines can be reached. */
  command(argv: readonly string[]): string[] {
    return this.#home().network.inside(argv);
  }

  /** Runs a command in the sandbox's network. */
  async exec(argv: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
    return attempt(this.command(argv), options);
  }

  /** Makes a new machine and starts it. `rootFrom` is a stopped machine whose disk is copied. */
  async launch(spec: MachineSpec, options: { rootFrom?: string } = {}): Promise<void> {
    const checked = machineSpec.parse(spec);
    const { id } = checked;
    await this.#turns.take(id, async () => {
      if (this.#record.machines[id] !== undefined) throw new Failure(`The machine ${id} exists already.`);
      const taken = Object.values(this.#record.machines).find(
        (other) => other.spec.privateIp === spec.privateIp,
      );
      if (taken !== undefined) {
        throw new Failure(`The address ${spec.privateIp} of ${id} is in use by ${taken.spec.id}.`);
      }
      if (options.rootFrom !== undefined) await this.#copyRoot(options.rootFrom, id);
      this.#record.machines[id] = { spec: checked, desired: "running" };
      this.#save();
      await this.#boot(id);
    });
  }

  /** Starts a machine that does not run. */
  async start(id: string): Promise<void> {
    await this.#turns.take(id, async () => {
      const machine = this.#machine(id);
      machine.desired = "running";
      this.#save();
      if (!lives(machine.process)) await this.#boot(id);
    });
  }

  /** Lets a machine switch itself off; its disk and volumes stay with it. */
  async stop(id: string, options: { graceMs?: number } = {}): Promise<void> {
    await this.#turns.take(id, async () => {
      this.#machine(id).desired = "stopped";
      this.#save();
      await this.#halt(id, options.graceMs ?? GRACE_MS);
    });
  }

  /** Lets a machine shut down and boot again. */
  async reboot(id: string, options: { graceMs?: number } = {}): Promise<void> {
    await this.#turns.take(id, async () => {
      const { process } = this.#machine(id);
      if (process === undefined || !lives(process)) return this.#boot(id);
      const before = leaderOf(process);
      const ask = insistently(() => signalMachine(process, "reboot"));
      try {
        await waitFor(
          `machine ${id} to boot again`,
          () => {
            if (leaderOf(process) === before) ask();
            return leaderOf(process) !== before && takesOrders(process);
          },
          { timeoutMs: options.graceMs ?? GRACE_MS, intervalMs: 20 },
        );
      } catch {
        await this.#halt(id, 0);
        await this.#boot(id);
      }
    });
  }

  /** Ends a machine for good. Its disk is gone; its volumes stay and are free. */
  async terminate(id: string, options: { graceMs?: number } = {}): Promise<void> {
    await this.#turns.take(id, async () => {
      this.#machine(id).desired = "stopped";
      this.#save();
      await this.#halt(id, options.graceMs ?? GRACE_MS);
      const { volumes, dir, switchboard } = this.#home();
      await volumes.detachAll(id);
      await switchboard.unroute(id);
      this.#record.machines = without(this.#record.machines, id);
      this.#save();
      await switchboard.tell();
      await rm(machineFolder(dir, id).folder, { recursive: true, force: true });
    });
  }

  /** Cuts a machine's power. It stays down until it is started or rebooted, or the hall is opened again. */
  async crash(id: string): Promise<void> {
    this.#machine(id);
    await removeMachineProcesses(this.#home().key, id);
  }

  /** Changes what the metadata service says about a machine, such as its role's credentials or its tags. */
  async update(
    id: string,
    changes: Partial<Omit<MachineSpec, "id" | "privateIp" | "subnetCidr">>,
  ): Promise<void> {
    const machine = this.#machine(id);
    machine.spec = machineSpec.parse({ ...machine.spec, ...changes });
    this.#save();
    await this.switchboard.tell();
  }

  /** All machines. */
  async list(): Promise<MachineState[]> {
    const { dir } = this.#home();
    return Promise.all(
      Object.values(this.#record.machines).map(async ({ spec, desired, process }) => {
        const down = desired === "stopped" ? "stopped" : await endOf(dir, spec.id);
        const state = lives(process) ? "running" : down;
        return { id: spec.id, state, desired, privateIp: spec.privateIp, spec };
      }),
    );
  }

  /** What a machine said on its console since it was last started, and all that cloud-init said. */
  async console(id: string): Promise<string> {
    const { console, folder } = machineFolder(this.#home().dir, id);
    const cloudInit = path.join(folder, "upper/var/log/cloud-init-output.log");
    return [await readIfPresent(console), await readIfPresent(cloudInit)].join("");
  }

  /** What can be done inside a machine that runs, as root. */
  inside(id: string): MachineShell {
    const { process } = this.#machine(id);
    if (process === undefined || !lives(process)) throw new Failure(`The machine ${id} does not run.`);
    return new MachineShell(process);
  }

  /** Stops everything. Disks, volumes and what should run stay written down, and the next `open` goes on from there. */
  async close(options: { graceMs?: number } = {}): Promise<void> {
    const opened = this.#opened;
    if (opened === undefined) return;
    this.#closing.abort(new Failure("The sandbox's machines were closed."));
    const ids = Object.keys(this.#record.machines);
    await Promise.all(
      ids.map((id) => this.#turns.take(id, () => this.#halt(id, options.graceMs ?? GRACE_MS))),
    );
    await this.#sweep();
    delete this.#record.owner;
    this.#save();
    this.#opened = undefined;
  }

  /** Cuts the power of everything that an earlier run left, and removes its traces. Needs no `open` before. */
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

  /** Lets go of a detached hall and leaves everything running. */
  leave(): void {
    delete this.#record.owner;
    this.#save();
    this.#closing.abort(new Failure("This process has left the sandbox's machines."));
    this.#opened = undefined;
  }

  async #boot(id: string): Promise<void> {
    const { dir, key, network, volumes } = this.#home();
    const image = await this.#image();
    const machine = this.#machine(id);
    const { spec } = machine;
    await removeMachineProcesses(key, id);
    await network.addMachine(id, spec.privateIp, spec.subnetCidr);
    delete machine.process;
    await volumes.show(id);
    await this.switchboard.tell();
    machine.process = await bootMachine(spec, {
      ...{ dir, key, image },
      networkNamespace: network.machineNamespace(id),
      lifetime: this.#record.lifetime,
    });
    this.#save();
  }

  async #halt(id: string, graceMs: number): Promise<void> {
    const { key, network } = this.#home();
    const { process } = this.#machine(id);
    if (process !== undefined && lives(process) && graceMs > 0) {
      const ask = insistently(() => signalMachine(process, "powerOff"));
      const off = (): boolean => {
        ask();
        return !lives(process);
      };
      // A machine that does not obey has its power cut.
      await waitFor(`machine ${id} to switch off`, off, { timeoutMs: graceMs, intervalMs: 20 }).catch(
        () => {},
      );
    }
    await removeMachineProcesses(key, id);
    await network.removeMachine(id);
    delete this.#machine(id).process;
    this.#save();
  }

  async #copyRoot(from: string, to: string): Promise<void> {
    if (lives(this.#machine(from).process))
      throw new Failure(`The machine ${from} runs: stop it before its disk is copied.`);
    const [source, target] = [from, to].map((id) => machineFolder(this.#home().dir, id).folder);
    await mkdir(target ?? "", { recursive: true, mode: 0o700 });
    await run(["cp", "--archive", "--reflink=auto", `${source ?? ""}/upper`, `${target ?? ""}/upper`]);
  }

  /** Ends every process and removes every trace in the system; the folder stays. */
  async #sweep(): Promise<void> {
    const { key, network, volumes, switchboard } = this.#home();
    await switchboard.close();
    for (const machine of Object.values(this.#record.machines)) {
      await removeMachineProcesses(key, machine.spec.id);
      delete machine.process;
    }
    await removeCgroup(cgroupOf(key));
    await network.remove();
    await volumes.disconnect();
    this.#save();
  }

  #machine(id: string): MachineRecord {
    const machine = this.#record.machines[id];
    if (machine === undefined) throw new Failure(`There is no machine ${id}.`);
    return machine;
  }

  #save(): void {
    writeHallRecord(this.#home().dir, this.#record);
  }

  #home(): Opened {
    if (this.#opened === undefined) throw new Failure("The machines' hall is not open: call open() first.");
    return this.#opened;
  }
}

interface Opened {
  dir: string;
  key: string;
  network: SandboxNetwork;
  volumes: VolumeRack;
  switchboard: Switchboard;
}

/** Says a thing now and once a second: a systemd that is about to start does not hear what is said too early. */
function insistently(say: () => unknown): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - last < 1000) return;
    last = performance.now();
    say();
  };
}

function lives(identity: ProcessIdentity | undefined): boolean {
  return identity !== undefined && isRunning(identity);
}

function refuseSecondOwner(dir: string, { owner }: HallRecord): void {
  if (owner === undefined || owner.pid === process.pid || !isRunning(owner)) return;
  throw new Failure(
    `The machines in ${dir} belong to process ${owner.pid}, which runs. End it or give another folder.`,
  );
}

/** The command line that runs another one, as root, in a machine of the hall in a folder; whoever owns that hall. */
export async function machineCommand(dir: string, id: string, argv: readonly string[]): Promise<string[]> {
  const process = (await readHallRecord(await realpath(dir))).machines[id]?.process;
  if (process === undefined || !lives(process)) throw new Failure(`The machine ${id} does not run.`);
  return new MachineShell(process).command(argv);
}
