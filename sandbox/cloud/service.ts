import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { waitFor } from "../deadline";
import { Failure } from "../failure";
import { readIfPresent } from "../files";
import { textAt, parseJson } from "../json";
import { ensureMoto } from "../aws/environment";
import { MachineHall, raiseLimits } from "../machines";
import { rke2Image } from "../machines/rke2";
import { isRunning, ProcessEndedError, residentBytes, startProcess, stopProcess } from "../process";
import type { Progress } from "../progress";
import type { ForwardOptions } from "./door";
import { cloudLog, readCloudRecord, recordFile, type CloudRecord } from "./record";
import { cloudStatus, type CloudStatus } from "./status";

const PROGRAM = path.join(__dirname, "daemon.ts");
const READY_MS = 180_000;
/** Machines get 20 seconds to switch themselves off, all at the same time. */
const STOP_MS = 60_000;

/** A cloud whose process runs. */
export interface RunningCloud extends CloudRecord {
  residentBytes?: number;
  logFile: string;
}

/** The cloud that runs in a folder, if one does. */
export async function inspectCloud(dir: string): Promise<RunningCloud | undefined> {
  const record = await readCloudRecord(dir);
  if (record === undefined || !isRunning(record.process)) return undefined;
  const resident = residentBytes(record.process);
  return {
    ...record,
    logFile: cloudLog(dir),
    ...(resident === undefined ? {} : { residentBytes: resident }),
  };
}

/** Starts the process of a cloud and waits until it is ready; one that runs already is left alone. */
export async function ensureCloud(
  dir: string,
  options: { progress: Progress; signal: AbortSignal },
): Promise<RunningCloud> {
  const running = await inspectCloud(dir);
  if (running !== undefined) return running;
  // What takes long the first time is done here, where somebody sees how it goes on.
  await ensureMoto({ progress: options.progress });
  if (MachineHall.available().ok) {
    await rke2Image({ progress: options.progress });
    await raiseLimits(options.progress);
  }
  const logFile = cloudLog(dir);
  await mkdir(path.dirname(logFile), { recursive: true, mode: 0o700 });
  await rm(recordFile(dir), { force: true });
  const { PATH = "/usr/bin:/bin", HOME = "/", XDG_CACHE_HOME } = process.env;
  const daemon = await startProcess({
    name: "the sandbox's cloud",
    command: process.execPath,
    args: ["--no-warnings", "--require", require.resolve("tsx/cjs"), PROGRAM, dir],
    env: { PATH, HOME, ...(XDG_CACHE_HOME === undefined ? {} : { XDG_CACHE_HOME }) },
    logFile,
    lifetime: "detached",
  });
  const broken = new AbortController();
  void daemon.ended.then(async (end) => {
    const log = (await readIfPresent(logFile)) ?? "";
    broken.abort(new ProcessEndedError("the sandbox's cloud", end, logFile, log));
  });
  try {
    await waitFor(
      `the sandbox's cloud (log: ${logFile})`,
      async () => (await readCloudRecord(dir)) !== undefined,
      { timeoutMs: READY_MS, signal: AbortSignal.any([broken.signal, options.signal]) },
    );
  } catch (error) {
    await stopProcess("the sandbox's cloud", daemon.identity, STOP_MS);
    throw error;
  }
  const ready = await inspectCloud(dir);
  if (ready === undefined)
    throw new Failure(`The sandbox's cloud ended as soon as it was ready (log: ${logFile}).`);
  return ready;
}

/** What a running cloud has. */
export async function askCloud(cloud: RunningCloud): Promise<CloudStatus> {
  return cloudStatus.parse(await order(cloud, "GET", "status"));
}

/** Opens a door between the cloud's network and the host's loopback address. */
export async function openDoor(cloud: RunningCloud, id: string, door: ForwardOptions): Promise<void> {
  await order(cloud, "PUT", `doors/${id}`, door);
}

/** Cuts a machine's power, or boots it again. */
export async function orderMachine(cloud: RunningCloud, id: string, what: "crash" | "reboot"): Promise<void> {
  await order(cloud, "POST", `machines/${id}/${what}`);
}

/** Stops a cloud and its machines, also where its process was killed and left them behind. Disks and volumes stay. */
export async function stopCloud(dir: string): Promise<void> {
  const record = await readCloudRecord(dir);
  if (record !== undefined) await stopProcess("the sandbox's cloud", record.process, STOP_MS);
  await rm(recordFile(dir), { force: true });
  const machines = path.join(dir, "machines");
  if (MachineHall.available().ok && (await readIfPresent(path.join(machines, "hall.json"))) !== undefined)
    await new MachineHall({ dir: machines }).clear();
}

async function order(cloud: RunningCloud, method: string, place: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`${cloud.hostEndpoint}/_fleetwright/${place}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  const text = await answer.text();
  if (answer.ok) return parseJson(text);
  throw new Failure(
    `The sandbox's cloud refused: ${textAt(parseJson(text), "message") ?? text} (log: ${cloud.logFile})`,
  );
}
