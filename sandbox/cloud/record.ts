import path from "node:path";
import { z } from "zod";
import { readIfPresent, writePrivateNow } from "../files";
import { parseJson } from "../json";
import { ImageStore } from "../registry";

const cloudRecord = z.object({
  process: z.object({ pid: z.int(), started: z.string() }),
  /** AWS's API on the host's loopback address. */
  hostEndpoint: z.string(),
  /** AWS's API as the engine finds it. */
  endpoint: z.string(),
  region: z.string(),
  /** The network namespace in which machines are reached; none where no machine can run, and then `reason` says why. */
  network: z.string().optional(),
  reason: z.string().optional(),
});

/** What a cloud's process writes down when it is ready. */
export type CloudRecord = z.infer<typeof cloudRecord>;

/** Reads the record of a folder; undefined where no cloud was ready there since it was last stopped. */
export async function readCloudRecord(dir: string): Promise<CloudRecord | undefined> {
  const parsed = cloudRecord.safeParse(parseJson((await readIfPresent(recordFile(dir))) ?? ""));
  return parsed.success ? parsed.data : undefined;
}

/** Writes the record of a folder. */
export function writeCloudRecord(dir: string, record: CloudRecord): void {
  writePrivateNow(recordFile(dir), `${JSON.stringify(record, undefined, 1)}\n`);
}

/** Where the record lies. */
export function recordFile(dir: string): string {
  return path.join(dir, "cloud.json");
}

/** Where the log lies. */
export function cloudLog(dir: string): string {
  return path.join(dir, "logs", "cloud.log");
}

/** The images that machines of the cloud in a folder can pull. */
export function imagesOf(dir: string): ImageStore {
  return new ImageStore(path.join(dir, "images"));
}
