// EBS volumes of the sandbox: files with file systems, attached to machines as devices.
import { rm, truncate } from "node:fs/promises";
import { waitFor } from "../../lib/deadline";
import type { ProcessIdentity } from "../../lib/process";
import { Failure } from "../../lib/failure";
import { attempt } from "./command";
import { VOLUME_LIST } from "./image-recipe";
import { writeVolumeList } from "./machine";
import { leaderOf, MachineShell } from "./machine-shell";
import { without, type HostRecord, type VolumeRecord } from "./record";
import { volumeSpec, type VolumeSpec } from "./spec";
import { KeyedMutex } from "../../lib/keyed-mutex";
import {
  byIdName,
  connectLoop,
  copyDisk,
  deviceNumbers,
  diskFile,
  disconnectLoop,
  isBusy,
  loopsBelow,
  makeDisk,
  refreshLoop,
  snapshotFiles,
  volumeList,
} from "./volume";

const UNMOUNT_TIMEOUT_MS = 24 * 3600_000;

/** What a volume store needs of its machine host. */
export interface VolumeStoreContext {
  dir: string;
  record: () => HostRecord;
  save: () => void;
  /** Aborted when the machine host closes: ends waits for busy volumes. */
  closing: AbortSignal;
}

/** A volume and where it is. */
export interface VolumeState extends VolumeSpec {
  /** "busy" is a volume being detached that its machine still has mounted. */
  state: "available" | "attached" | "detaching" | "busy";
  attachment?: { machineId: string; device: string };
}

/** The volumes of a machine host: disk image files, attached to machines through loop devices. */
export class VolumeStore {
  readonly #mutex = new KeyedMutex();

  constructor(private readonly context: VolumeStoreContext) {}

  /** Creates an empty volume, or one with the content of a snapshot. */
  async create(spec: VolumeSpec, options: { fromSnapshot?: string } = {}): Promise<void> {
    const { id, sizeGiB } = volumeSpec.parse(spec);
    await this.#mutex.runExclusive(id, async () => {
      if (this.context.record().volumes[id] !== undefined)
        throw new Failure(`The volume ${id} already exists.`);
      const from = options.fromSnapshot === undefined ? undefined : this.#file(options.fromSnapshot);
      await makeDisk(this.#file(id), sizeGiB, from);
      this.context.record().volumes[id] = { spec: { id, sizeGiB } };
      this.context.save();
    });
  }

  /** Deletes a volume with its content. */
  async delete(id: string): Promise<void> {
    await this.#mutex.runExclusive(id, async () => {
      const { attachment } = this.#volume(id);
      if (attachment !== undefined) {
        throw new Failure(`The volume ${id} is in use by ${attachment.machineId}. Detach it first.`);
      }
      this.context.record().volumes = without(this.context.record().volumes, id);
      this.context.save();
      await rm(this.#file(id), { force: true });
    });
  }

  /** Grows a volume; the file system on it is not changed. */
  async resize(id: string, sizeGiB: number): Promise<void> {
    await this.#mutex.runExclusive(id, async () => {
      const volume = this.#volume(id);
      if (sizeGiB < volume.spec.sizeGiB) {
        throw new Failure(
          `The volume ${id} has ${volume.spec.sizeGiB} GiB and cannot shrink to ${sizeGiB} GiB.`,
        );
      }
      await truncate(this.#file(id), sizeGiB * 1024 ** 3);
      volume.spec.sizeGiB = sizeGiB;
      if (volume.attachment?.loop !== undefined) await refreshLoop(volume.attachment.loop);
      this.context.save();
    });
  }

  /** Copies a volume's current content; it is crash-consistent, as after a power cut. */
  async snapshot(id: string, snapshotId: string): Promise<void> {
    this.#volume(id);
    await copyDisk(this.#file(id), this.#file(snapshotId));
  }

  /** The ids of all snapshots. */
  async snapshots(): Promise<string[]> {
    return snapshotFiles(this.context.dir);
  }

  /** Deletes a snapshot. */
  async deleteSnapshot(snapshotId: string): Promise<void> {
    await rm(this.#file(snapshotId), { force: true });
  }

  /** Attaches a volume to a machine: at once if it runs, otherwise when it boots. */
  async attach(id: string, machineId: string, device: string): Promise<void> {
    await this.#mutex.runExclusive(id, async () => {
      const volume = this.#volume(id);
      const { machines, volumes } = this.context.record();
      if (machines[machineId] === undefined) throw new Failure(`There is no machine ${machineId} for ${id}.`);
      if (volume.attachment !== undefined) {
        throw new Failure(
          `The volume ${id} is attached to ${volume.attachment.machineId} and cannot be attached to ${machineId}.`,
        );
      }
      const others = Object.values(volumes).flatMap(({ attachment }) =>
        attachment?.machineId === machineId ? [attachment] : [],
      );
      if (others.some((other) => other.device === device)) {
        throw new Failure(`The machine ${machineId} already has a volume at ${device}.`);
      }
      let index = 1;
      while (others.some((other) => other.index === index)) index++;
      volume.attachment = { machineId, device, index, state: "attached" };
      volume.attachment.loop = await connectLoop(this.#file(id));
      this.context.save();
      await this.show(machineId);
    });
  }

  /**
   * Detaches a volume. While the machine has it mounted, the volume stays "busy" and this waits. With `force` it does
   * not: what the machine writes from then on is lost, as on AWS.
   */
  async detach(id: string, options: { force?: boolean; signal?: AbortSignal } = {}): Promise<void> {
    const { attachment } = this.#volume(id);
    if (attachment === undefined) return;
    attachment.state = "detaching";
    this.context.save();
    const { loop } = attachment;
    if (options.force === true) await this.#mutex.runExclusive(id, () => this.#cut(id));
    else if (loop !== undefined) {
      await waitFor(`${attachment.machineId} to unmount ${id}`, async () => !(await isBusy(loop)), {
        timeoutMs: UNMOUNT_TIMEOUT_MS,
        intervalMs: 50,
        signal: AbortSignal.any([
          this.context.closing,
          ...(options.signal === undefined ? [] : [options.signal]),
        ]),
      });
    }
    await this.#mutex.runExclusive(id, async () => {
      // Another caller may have waited too, and have released it already.
      if (this.#volume(id).attachment === attachment) await this.#release(id);
    });
  }

  /** Whether its machine has it mounted. */
  async isMounted(id: string): Promise<boolean> {
    const loop = this.context.record().volumes[id]?.attachment?.loop;
    return loop !== undefined && (await isBusy(loop));
  }

  /** Detaches all volumes of a machine that is being terminated. */
  async detachAll(machineId: string): Promise<void> {
    for (const [id, { attachment }] of Object.entries(this.context.record().volumes)) {
      if (attachment?.machineId === machineId) await this.detach(id);
    }
  }

  /** All volumes. */
  async list(): Promise<VolumeState[]> {
    return Promise.all(
      Object.values(this.context.record().volumes).map(async ({ spec, attachment }): Promise<VolumeState> => {
        if (attachment === undefined) return { ...spec, state: "available" };
        const { machineId, device, loop } = attachment;
        const busy = attachment.state === "detaching" && loop !== undefined && (await isBusy(loop));
        return { ...spec, state: busy ? "busy" : attachment.state, attachment: { machineId, device } };
      }),
    );
  }

  /** Connects the loop devices of attached volumes, and completes interrupted detachments. */
  async reconnect(): Promise<void> {
    const connected = await loopsBelow(this.context.dir);
    for (const [id, volume] of Object.entries(this.context.record().volumes)) {
      const { attachment } = volume;
      if (attachment === undefined) continue;
      const there = attachment.loop !== undefined && connected.includes(attachment.loop);
      if (!there && attachment.state === "detaching") delete volume.attachment;
      else if (!there) attachment.loop = await connectLoop(this.#file(id));
    }
    this.context.save();
  }

  /** Disconnects all loop devices; attachments are kept. */
  async disconnect(): Promise<void> {
    for (const loop of await loopsBelow(this.context.dir)) await disconnectLoop(loop);
    for (const { attachment } of Object.values(this.context.record().volumes)) {
      if (attachment !== undefined) delete attachment.loop;
    }
    this.context.save();
  }

  /** Writes the list of a machine's devices and, if it runs, creates those that are missing. */
  async show(machineId: string): Promise<void> {
    const { machines, volumes } = this.context.record();
    const shown = Object.values(volumes).flatMap(({ spec, attachment }) =>
      attachment?.machineId === machineId && attachment.loop !== undefined
        ? [{ id: spec.id, index: attachment.index, loop: attachment.loop }]
        : [],
    );
    const devices = await Promise.all(
      shown.map(async ({ id, index, loop }) => ({ id, index, ...(await deviceNumbers(loop)) })),
    );
    await writeVolumeList(this.context.dir, machineId, volumeList(devices));
    const process = machines[machineId]?.process;
    if (!runs(process)) return;
    await new MachineShell(process).run(["systemd-tmpfiles", "--create", "--prefix=/dev", VOLUME_LIST]);
  }

  // The stale mount keeps the old file, which then has no name; the volume goes on with a copy. Otherwise two machines
  // could write to one file system.
  async #cut(id: string): Promise<void> {
    await attempt(["sync", "--file-system", this.#file(id)]);
    await copyDisk(this.#file(id), this.#file(id));
  }

  async #release(id: string): Promise<void> {
    const volume = this.#volume(id);
    const { attachment } = volume;
    if (attachment === undefined) return;
    const process = this.context.record().machines[attachment.machineId]?.process;
    if (runs(process)) {
      const nodes = [
        `/dev/nvme${attachment.index}n1`,
        `/dev/disk/by-id/${byIdName(id)}`,
        attachment.loop ?? "",
      ];
      await new MachineShell(process).attempt(["rm", "-f", ...nodes.filter((node) => node !== "")]);
    }
    if (attachment.loop !== undefined) await disconnectLoop(attachment.loop);
    delete volume.attachment;
    this.context.save();
    await this.show(attachment.machineId);
  }

  #volume(id: string): VolumeRecord {
    const volume = this.context.record().volumes[id];
    if (volume === undefined) throw new Failure(`There is no volume ${id}.`);
    return volume;
  }

  #file(id: string): string {
    return diskFile(this.context.dir, id);
  }
}

function runs(process: ProcessIdentity | undefined): process is ProcessIdentity {
  return process !== undefined && leaderOf(process) !== undefined;
}
