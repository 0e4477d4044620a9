// The machine host's record on disk: what exists and what should run.
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { readIfPresent, writePrivateSync } from "../../lib/files";
import { isObject, parseJson } from "../../lib/json";
import { Failure } from "../../lib/failure";
import { isRunning } from "../../lib/process";
import {
  portForwardSpec,
  loadBalancerSpec,
  machineSpec,
  routeSpec,
  volumeSpec,
  type MachineSpec,
} from "./spec";

const identity = z.object({ pid: z.int(), started: z.string() });

const machineRecord = z.object({
  spec: machineSpec,
  /** The desired state; the actual one follows from its process. */
  desired: z.enum(["running", "stopped"]),
  process: identity.optional(),
});

const attachment = z.object({
  machineId: z.string(),
  /** The requested device name, such as /dev/sdf; the machine shows another one, as on Nitro instances. */
  device: z.string(),
  /** The number in /dev/nvme<index>n1. */
  index: z.int(),
  state: z.enum(["attached", "detaching"]),
  /** The host's loop device, while there is one. */
  loop: z.string().optional(),
});

const volumeRecord = z.object({ spec: volumeSpec, attachment: attachment.optional() });

const hostRecord = z.object({
  lifetime: z.enum(["owned", "detached"]),
  owner: identity.optional(),
  /** The network helper in the sandbox's network, and the one in the host's. */
  insideHelper: identity.optional(),
  outsideHelper: identity.optional(),
  machines: z.record(z.string(), machineRecord),
  volumes: z.record(z.string(), volumeRecord),
  loadBalancers: z.record(z.string(), loadBalancerSpec),
  forwards: z.record(z.string(), portForwardSpec),
  routes: z.array(routeSpec),
});

/** A machine's entry in the record. */
export type MachineRecord = z.infer<typeof machineRecord>;
/** A volume's entry in the record. */
export type VolumeRecord = z.infer<typeof volumeRecord>;
/** The state of a machine host between runs: enough to clean up after one that was killed, and to go on. */
export type HostRecord = z.infer<typeof hostRecord>;

/** The record of a new machine host. */
export function emptyRecord(): HostRecord {
  return { lifetime: "owned", machines: {}, volumes: {}, loadBalancers: {}, forwards: {}, routes: [] };
}

/** Whether a folder holds a machine host's record. */
export function hasHostRecord(dir: string): boolean {
  return [recordFile(dir), earlierRecordFile(dir)].some((file) => existsSync(file));
}

/** Reads the record of a folder; an empty one where there is none. */
export async function readHostRecord(dir: string): Promise<HostRecord> {
  const [file, earlier] = [recordFile(dir), earlierRecordFile(dir)];
  const [text, earlierText] = [await readIfPresent(file), await readIfPresent(earlier)];
  if (text === undefined && earlierText === undefined) return emptyRecord();
  const value = text === undefined ? convertEarlier(parseJson(earlierText ?? "")) : parseJson(text);
  const parsed = hostRecord.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Failure(
    `${text === undefined ? earlier : file} is damaged: ${z.prettifyError(parsed.error)}. It lists this sandbox's machines and volumes: restore it, or remove ${dir} and all volumes in it.`,
  );
}

/** Refuses a folder whose machines another running process owns. */
export function refuseSecondOwner(dir: string, { owner }: HostRecord): void {
  if (owner === undefined || owner.pid === process.pid || !isRunning(owner)) return;
  throw new Failure(
    `The machines in ${dir} belong to the running process ${owner.pid}. End it or use another folder.`,
  );
}

/** Refuses a machine whose id or address another one has. */
export function refuseDuplicate({ machines }: HostRecord, { id, privateIp }: MachineSpec): void {
  if (machines[id] !== undefined) throw new Failure(`The machine ${id} already exists.`);
  const taken = Object.values(machines).find(({ spec }) => spec.privateIp === privateIp);
  if (taken !== undefined)
    throw new Failure(`The address ${privateIp} of ${id} is in use by ${taken.spec.id}.`);
}

/** Writes the record of a folder atomically. It holds user data, so only its owner can read it. */
export function writeHostRecord(dir: string, record: HostRecord): void {
  writePrivateSync(recordFile(dir), `${JSON.stringify(record, undefined, 1)}\n`);
  rmSync(earlierRecordFile(dir), { force: true });
}

/** A table without one of its rows. */
export function without<T>(table: Readonly<Record<string, T>>, id: string): Record<string, T> {
  return Object.fromEntries(Object.entries(table).filter(([key]) => key !== id));
}

function recordFile(dir: string): string {
  return path.join(dir, "machine-host.json");
}

function earlierRecordFile(dir: string): string {
  return path.join(dir, "hall.json");
}

/**
 * Converts a record in the form that it had until November 2026, so that machines and volumes of a sandbox made then
 * are kept. Its helpers listen on other sockets: "owned" makes the next `open` end them and start everything again.
 */
function convertEarlier(value: unknown): unknown {
  if (!isObject(value)) return undefined;
  const { hub, gate, ...rest } = value;
  return {
    ...rest,
    ...(hub === undefined ? {} : { insideHelper: hub }),
    ...(gate === undefined ? {} : { outsideHelper: gate }),
    lifetime: "owned",
  };
}
