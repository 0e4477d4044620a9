// The file in which the cloud's process says where it can be reached.
import path from "node:path";
import { z } from "zod";
import { readIfPresent, writePrivateSync } from "../../lib/files";
import { parseJson } from "../../lib/json";
import { ImageStore } from "../registry";

const cloudRecord = z.object({
  process: z.object({ pid: z.int(), started: z.string() }),
  /** The AWS API on the host's loopback address. */
  hostEndpoint: z.string(),
  /** The AWS API as the engine reaches it. */
  endpoint: z.string(),
  region: z.string(),
  /** The network namespace of the machines; absent where machines cannot run, and then `reason` says why. */
  network: z.string().optional(),
  reason: z.string().optional(),
});

/** What a cloud's process records when it is ready. */
export type CloudRecord = z.infer<typeof cloudRecord>;

/** Reads the record of a folder; undefined where no cloud has become ready since the last stop. */
export async function readCloudRecord(dir: string): Promise<CloudRecord | undefined> {
  const parsed = cloudRecord.safeParse(parseJson((await readIfPresent(recordFile(dir))) ?? ""));
  return parsed.success ? parsed.data : undefined;
}

/** Writes the record of a folder. */
export function writeCloudRecord(dir: string, record: CloudRecord): void {
  writePrivateSync(recordFile(dir), `${JSON.stringify(record, undefined, 1)}\n`);
}

/** The file of the record. */
export function recordFile(dir: string): string {
  return path.join(dir, "cloud.json");
}

/** The socket through which the cloud's process is controlled. */
export function controlSocket(dir: string): string {
  return path.join(dir, "control.sock");
}

/** The log of the cloud's process. */
export function cloudLog(dir: string): string {
  return path.join(dir, "logs", "cloud.log");
}

/** The images that machines of a folder's cloud can pull. */
export function imagesOf(dir: string): ImageStore {
  return new ImageStore(path.join(dir, "images"));
}
