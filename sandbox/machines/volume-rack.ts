import { rm, truncate } from "node:fs/promises";
import { waitFor } from "../deadline";
import type { ProcessIdentity } from "../process";
import { Failure } from "../failure";
import { attempt } from "./command";
import { VOLUME_LIST } from "./image-recipe";
import { writeVolumeList } from "./machine";
import { leaderOf, MachineShell } from "./machine-shell";
import { without, type HallRecord, type VolumeRecord } from "./record";
import { volumeSpec, type VolumeSpec } from "./spec";
import { Turns } from "./turns";
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

const UNTIL_UNMOUNTED_MS = 24 * 3600_000;

/** What a rack needs of its hall. */
export interface RackHome {
  dir: string;
  record: () => HallRecord;
  save: () => void;
  /** Ends the waits for busy volumes. */
  closing: AbortSignal;
}

/** A volume and where it is. */
export interface VolumeState extends VolumeSpec {
  /** "busy" is a volume that was detached while the machine still has it mounted. */
  state: "available" | "attached" | "detaching" | "busy";
  attachment?: { machineId: string; device: string };
}

/** The volumes of a hall: disks in files that are shown to machines through loop devices. */
export class VolumeRack {
  readonly #turns = new Turns();

  constructor(private readonly home: RackHome) {}

  /** Makes an empty volume, or one with the content of a snapshot. */
  async create(spec: VolumeSpec, options: { fromSnapshot?: string } = {}): Promise<void> {
    const { id, sizeGiB } = volumeSpec.parse(spec);
    await this.#turns.take(id, async () => {
      if (this.home.record().volumes[id] !== undefined) throw new Failure(`The volume ${id} exists already.`);
      const from = options.fromSnapshot === undefined ? undefined : this.#file(options.fromSnapshot);
      await makeDisk(this.#file(id), sizeGiB, from);
      this.home.record().volumes[id] = { spec: { id, sizeGiB } };
      this.home.save();
    });
  }

  /** Removes a volume with its content. */
  async delete(id: string): Promise<void> {
    await this.#turns.take(id, async () => {
      const { attachment } = this.#volume(id);
      if (attachment !== undefined) {
        throw new Failure(`The volume ${id} is in use by ${attachment.machineId}. Detach it first.`);
      }
      this.home.record().volumes = without(this.home.record().volumes, id);
      this.home.save();
      await rm(this.#file(id), { force: true });
    });
  }

  /** Makes a volume larger; the file system on it stays as it is. */
  async resize(id: string, sizeGiB: number): Promise<void> {
    await this.#turns.take(id, async () => {
      const volume = this.#volume(id);
      if (sizeGiB < volume.spec.sizeGiB) {
        throw new Failure(
          `The volume ${id} has ${volume.spec.sizeGiB} GiB and cannot shrink to ${sizeGiB} GiB.`,
        );
      }
      await truncate(this.#file(id), sizeGiB * 1024 ** 3);
      volume.spec.sizeGiB = sizeGiB;
      if (volume.attachment?.loop !== undefined) await refreshLoop(volume.attachment.loop);
      this.home.save();
    });
  }

  /** Copies a volume's content as it is at this moment, as after a power cut. */
  async snapshot(id: string, snapshotId: string): Promise<void> {
    this.#volume(id);
    await copyDisk(this.#file(id), this.#file(snapshotId));
  }

  /** The snapshots that there are. */
  async snapshots(): Promise<string[]> {
    return snapshotFiles(this.home.dir);
  }

  /** Removes a snapshot. */
  async deleteSnapshot(snapshotId: string): Promise<void> {
    await rm(this.#file(snapshotId), { force: true });
  }

  /** Shows a volume to a machine, at once if it runs, otherwise when it starts. */
  async attach(id: string, machineId: string, device: string): Promise<void> {
    await this.#turns.take(id, async () => {
      const volume = this.#volume(id);
      const { machines, volumes } = this.home.record();
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
      this.home.save();
      await this.show(machineId);
    });
  }

  /**
   * Takes a volume from its machine. While the machine has it mounted, the volume stays "busy" and this waits. With
   * `force` it does not: what the machine writes from then on is lost, as on AWS.
   */
  async detach(id: string, options: { force?: boolean; signal?: AbortSignal } = {}): Promise<void> {
    const { attachment } = this.#volume(id);
    if (attachment === undefined) return;
    attachment.state = "detaching";
    this.home.save();
    const { loop } = attachment;
    if (options.force === true) await this.#turns.take(id, () => this.#cut(id));
    else if (loop !== undefined) {
      await waitFor(`${attachment.machineId} to unmount ${id}`, async () => !(await isBusy(loop)), {
        timeoutMs: UNTIL_UNMOUNTED_MS,
        intervalMs: 50,
        signal: AbortSignal.any([
          this.home.closing,
          ...(options.signal === undefined ? [] : [options.signal]),
        ]),
      });
    }
    await this.#turns.take(id, async () => {
      // Two may have waited for the same; the first one has done it.
      if (this.#volume(id).attachment === attachment) await this.#release(id);
    });
  }

  /** Whether its machine has it mounted. */
  async isMounted(id: string): Promise<boolean> {
    const loop = this.home.record().volumes[id]?.attachment?.loop;
    return loop !== undefined && (await isBusy(loop));
  }

  /** What a machine that goes away had. */
  async detachAll(machineId: string): Promise<void> {
    for (const [id, { attachment }] of Object.entries(this.home.record().volumes)) {
      if (attachment?.machineId === machineId) await this.detach(id);
    }
  }

  /** All volumes. */
  async list(): Promise<VolumeState[]> {
    return Promise.all(
      Object.values(this.home.record().volumes).map(async ({ spec, attachment }): Promise<VolumeState> => {
        if (attachment === undefined) return { ...spec, state: "available" };
        const { machineId, device, loop } = attachment;
        const busy = attachment.state === "detaching" && loop !== undefined && (await isBusy(loop));
        return { ...spec, state: busy ? "busy" : attachment.state, attachment: { machineId, device } };
      }),
    );
  }

  /** Connects every attached volume that is not connected, and finishes what was being detached. */
  async reconnect(): Promise<void> {
    const connected = await loopsBelow(this.home.dir);
    for (const [id, volume] of Object.entries(this.home.record().volumes)) {
      const { attachment } = volume;
      if (attachment === undefined) continue;
      const there = attachment.loop !== undefined && connected.includes(attachment.loop);
      if (!there && attachment.state === "detaching") delete volume.attachment;
      else if (!there) attachment.loop = await connectLoop(this.#file(id));
    }
    this.home.save();
  }

  /** Disconnects every volume from the host; attachments stay. */
  async disconnect(): Promise<void> {
    for (const loop of await loopsBelow(this.home.dir)) await disconnectLoop(loop);
    for (const { attachment } of Object.values(this.home.record().volumes)) {
      if (attachment !== undefined) delete attachment.loop;
    }
    this.home.save();
  }

  /** Writes down for a machine which devices it has, and makes those that are missing if it runs. */
  async show(machineId: string): Promise<void> {
    const { machines, volumes } = this.home.record();
    const shown = Object.values(volumes).flatMap(({ spec, attachment }) =>
      attachment?.machineId === machineId && attachment.loop !== undefined
        ? [{ id: spec.id, index: attachment.index, loop: attachment.loop }]
        : [],
    );
    const devices = await Promise.all(
      shown.map(async ({ id, index, loop }) => ({ id, index, ...(await deviceNumbers(loop)) })),
    );
    await writeVolumeList(this.home.dir, machineId, volumeList(devices));
    const process = machines[machineId]?.process;
    if (!runs(process)) return;
    await new MachineShell(process).run(["systemd-tmpfiles", "--create", "--prefix=/dev", VOLUME_LIST]);
  }

  // The stale mount keeps the old file, which has no name any more; the volume goes on with a copy that nobody else can
  // write to. Without that, two machines could write to one file system.
  async #cut(id: string): Promise<void> {
    await attempt(["sync", "--file-system", this.#file(id)]);
    await copyDisk(this.#file(id), this.#file(id));
  }

  async #release(id: string): Promise<void> {
    const volume = this.#volume(id);
    const { attachment } = volume;
    if (attachment === undefined) return;
    const process = this.home.record().machines[attachment.machineId]?.process;
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
    this.home.save();
    await this.show(attachment.machineId);
  }

  #volume(id: string): VolumeRecord {
    const volume = this.home.record().volumes[id];
    if (volume === undefined) throw new Failure(`There is no volume ${id}.`);
    return volume;
  }

  #file(id: string): string {
    return diskFile(this.home.dir, id);
  }
}

function runs(process: ProcessIdentity | undefined): process is ProcessIdentity {
  return process !== undefined && leaderOf(process) !== undefined;
}
