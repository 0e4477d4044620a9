// Starts, finds and stops the cloud's process.
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { waitFor } from "../../lib/deadline";
import { Failure } from "../../lib/failure";
import { readIfPresent } from "../../lib/files";
import { ensureMoto } from "../aws/environment";
import { hasHostRecord, MachineHost, raiseLimits } from "../machines";
import { callControlSocket } from "../machines/control-socket";
import { rke2Image } from "../machines/rke2";
import { isRunning, ProcessEndedError, residentBytes, startProcess, stopProcess } from "../../lib/process";
import type { Progress } from "../../lib/progress";
import type { PortForward } from "./port-forward";
import { cloudLog, controlSocket, readCloudRecord, recordFile, type CloudRecord } from "./record";
import { cloudStatus, type CloudStatus } from "./status";

const PROGRAM = path.join(__dirname, "main.ts");
const READY_MS = 180_000;
/** Machines get 20 seconds to shut down, all at the same time. */
const STOP_MS = 60_000;
/** A reboot is answered when the machine is back. */
const CALL_MS = 120_000;

/** A cloud whose process runs. */
export interface RunningCloud extends CloudRecord {
  residentBytes?: number;
  logFile: string;
  controlSocket: string;
}

/** The cloud that runs in a folder, if one does. */
export async function inspectCloud(dir: string): Promise<RunningCloud | undefined> {
  const record = await readCloudRecord(dir);
  if (record === undefined || !isRunning(record.process)) return undefined;
  const resident = residentBytes(record.process);
  return {
    ...record,
    logFile: cloudLog(dir),
    controlSocket: controlSocket(dir),
    ...(resident === undefined ? {} : { residentBytes: resident }),
  };
}

/** Starts the process of a cloud and waits until it is ready. One that runs already is kept, unless it is outdated. */
export async function ensureCloud(
  dir: string,
  options: { progress: Progress; signal: AbortSignal },
): Promise<RunningCloud> {
  const running = await inspectCloud(dir);
  const outdated = running === undefined ? undefined : outdatedBecause(running);
  if (running !== undefined && outdated === undefined) return running;
  if (outdated !== undefined) {
    options.progress.note(` • restarting the sandbox's cloud: ${outdated}`);
    await stopCloud(dir);
  }
  // What takes long the first time is done in this process, which shows progress.
  await ensureMoto({ progress: options.progress });
  if (MachineHost.available().ok) {
    await rke2Image({ progress: options.progress });
    await raiseLimits(options.progress);
  }
  const logFile = cloudLog(dir);
  await mkdir(path.dirname(logFile), { recursive: true, mode: 0o700 });
  await rm(recordFile(dir), { force: true });
  const { PATH = "/usr/bin:/bin", HOME = "/", XDG_CACHE_HOME } = process.env;
  const started = await startProcess({
    name: "the sandbox's cloud",
    command: process.execPath,
    args: ["--no-warnings", "--require", require.resolve("tsx/cjs"), PROGRAM, dir],
    env: { PATH, HOME, ...(XDG_CACHE_HOME === undefined ? {} : { XDG_CACHE_HOME }) },
    logFile,
    lifetime: "detached",
  });
  const broken = new AbortController();
  void started.ended.then(async (end) => {
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
    await stopProcess("the sandbox's cloud", started.identity, STOP_MS);
    throw error;
  }
  const ready = await inspectCloud(dir);
  if (ready === undefined)
    throw new Failure(`The sandbox's cloud ended as soon as it was ready (log: ${logFile}).`);
  return ready;
}

/** Why a running cloud has to be restarted; undefined where it has not. */
function outdatedBecause({ reason, controlSocket: socket }: RunningCloud): string | undefined {
  if (!existsSync(socket)) return "it was started by an earlier version";
  if (reason !== undefined && MachineHost.available().ok) return "machines can run now";
  return undefined;
}

/** The machines, volumes and load balancers of a running cloud. */
export async function cloudStatusOf(cloud: RunningCloud): Promise<CloudStatus> {
  return cloudStatus.parse(await call(cloud, "GET", "/status"));
}

/** Forwards a port between the cloud's network and the host's loopback address. */
export async function forwardPort(cloud: RunningCloud, id: string, forward: PortForward): Promise<void> {
  await call(cloud, "PUT", `/port-forwards/${id}`, forward);
}

/** Kills a machine as a power cut does, or reboots it. */
export async function controlMachine(
  cloud: RunningCloud,
  id: string,
  action: "crash" | "reboot",
): Promise<void> {
  await call(cloud, "POST", `/machines/${id}/${action}`);
}

/** Stops a cloud and its machines, also those that a killed process left behind. Disks and volumes are kept. */
export async function stopCloud(dir: string): Promise<void> {
  const record = await readCloudRecord(dir);
  if (record !== undefined) await stopProcess("the sandbox's cloud", record.process, STOP_MS);
  await rm(recordFile(dir), { force: true });
  const machines = path.join(dir, "machines");
  if (MachineHost.available().ok && hasHostRecord(machines)) await new MachineHost({ dir: machines }).clear();
}

function call(cloud: RunningCloud, method: string, target: string, body?: unknown): Promise<unknown> {
  const name = `The sandbox's cloud (log: ${cloud.logFile})`;
  return callControlSocket(name, cloud.controlSocket, { method, path: target, body, timeoutMs: CALL_MS });
}
