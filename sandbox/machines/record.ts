import path from "node:path";
import { z } from "zod";
import { readIfPresent, writePrivateNow } from "../files";
import { parseJson } from "../json";
import { Failure } from "../failure";
import { forwardSpec, loadBalancerSpec, machineSpec, routeSpec, volumeSpec } from "./spec";

const identity = z.object({ pid: z.int(), started: z.string() });

const machineRecord = z.object({
  spec: machineSpec,
  /** What it should be; whether it is, its process tells. */
  desired: z.enum(["running", "stopped"]),
  process: identity.optional(),
});

const attachment = z.object({
  machineId: z.string(),
  /** The name that was asked for, such as /dev/sdf; the machine shows another one, as on Nitro instances. */
  device: z.string(),
  /** The number in /dev/nvme<index>n1. */
  index: z.int(),
  state: z.enum(["attached", "detaching"]),
  /** The host's loop device, while there is one. */
  loop: z.string().optional(),
});

const volumeRecord = z.object({ spec: volumeSpec, attachment: attachment.optional() });

const hallRecord = z.object({
  lifetime: z.enum(["owned", "detached"]),
  owner: identity.optional(),
  hub: identity.optional(),
  gate: identity.optional(),
  machines: z.record(z.string(), machineRecord),
  volumes: z.record(z.string(), volumeRecord),
  loadBalancers: z.record(z.string(), loadBalancerSpec),
  forwards: z.record(z.string(), forwardSpec),
  routes: z.array(routeSpec),
});

/** A machine as it is written down. */
export type MachineRecord = z.infer<typeof machineRecord>;
/** A volume as it is written down. */
export type VolumeRecord = z.infer<typeof volumeRecord>;
/** What is known about a hall between runs: enough to clean up after it and to go on. */
export type HallRecord = z.infer<typeof hallRecord>;

/** The record of a hall that never was. */
export function emptyRecord(): HallRecord {
  return { lifetime: "owned", machines: {}, volumes: {}, loadBalancers: {}, forwards: {}, routes: [] };
}

/** Reads the record of a folder. */
export async function readHallRecord(dir: string): Promise<HallRecord> {
  const file = recordFile(dir);
  const text = await readIfPresent(file);
  if (text === undefined) return emptyRecord();
  const parsed = hallRecord.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new Failure(
    `${file} is damaged: ${z.prettifyError(parsed.error)}. It names the machines and volumes of this sandbox; restore it, or remove ${dir} with all volumes in it.`,
  );
}

/** Writes the record of a folder, whole or not at all; it holds user data, so only its owner can read it. */
export function writeHallRecord(dir: string, record: HallRecord): void {
  writePrivateNow(recordFile(dir), `${JSON.stringify(record, undefined, 1)}\n`);
}

/** A table without one of its rows. */
export function without<T>(table: Readonly<Record<string, T>>, id: string): Record<string, T> {
  return Object.fromEntries(Object.entries(table).filter(([key]) => key !== id));
}

function recordFile(dir: string): string {
  return path.join(dir, "hall.json");
}
