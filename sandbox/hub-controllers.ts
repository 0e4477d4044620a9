// The hub's controllers as a process of the sandbox, beside the hub's API server: the same file as in their image.
import { rm } from "node:fs/promises";
import path from "node:path";
import { waitFor, type NotYet } from "../lib/deadline";
import { errorMessage } from "../lib/failure";
import { makePrivateDirectories, readIfPresent, writePrivateSync } from "../lib/files";
import { numberAt, parseJson, textAt } from "../lib/json";
import { freePort, LOOPBACK } from "../lib/port";
import {
  isRunning,
  ProcessEndedError,
  residentBytes,
  startProcess,
  stopProcess,
  type ProcessIdentity,
} from "../lib/process";
import type { Progress } from "../lib/progress";
import { bundleProgram } from "../scripts/images/bundle";
import type { ComponentStatus } from "./controlplane";
import { kubeconfigFile, layoutOf, logFile } from "./controlplane/layout";

/** The name of the process in status and logs. */
export const HUB_CONTROLLERS = "hub-controllers";
const PROGRAM = path.join(__dirname, "..", "controllers", "hub", "main.ts");
const READY_MS = 120_000;
const ANSWER_MS = 5000;
/** They finish what they have begun, and give up their lease. */
const STOP_MS = 30_000;

interface HubControllersRecord {
  process: ProcessIdentity;
  port: number;
}

/** Starts the controllers of the hub in a folder, whose API server runs, and waits until they work. */
export async function startHubControllers(
  dir: string,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<void> {
  await stopHubControllers(dir);
  const layout = layoutOf(dir);
  const log = logFile(layout, HUB_CONTROLLERS);
  await makePrivateDirectories([layout.logs]);
  const file = path.join(dir, `${HUB_CONTROLLERS}.js`);
  await bundleProgram(PROGRAM, file);
  const port = await freePort();
  const started = await startProcess({
    name: HUB_CONTROLLERS,
    command: process.execPath,
    args: [
      file,
      `--kubeconfig=${kubeconfigFile(layout, "admin")}`,
      `--port=${port}`,
      `--host=${LOOPBACK}`,
      "--identity=sandbox",
    ],
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: dir },
    logFile: log,
    lifetime: "detached",
  });
  // Written down at once: what a killed start leaves behind can then be found.
  writeRecord(dir, { process: started.identity, port });
  const broken = new AbortController();
  void started.ended.then(async (end) => {
    broken.abort(new ProcessEndedError(HUB_CONTROLLERS, end, log, (await readIfPresent(log)) ?? ""));
  });
  try {
    await progress.step(HUB_CONTROLLERS, () =>
      waitFor(`${HUB_CONTROLLERS} to be ready (log: ${log})`, () => isReady(port), {
        timeoutMs: READY_MS,
        signal: AbortSignal.any([broken.signal, signal]),
      }),
    );
  } catch (error) {
    await stopHubControllers(dir);
    throw error;
  }
}

/** Stops the controllers of the hub in a folder, whoever started them. */
export async function stopHubControllers(dir: string): Promise<void> {
  const record = await readRecord(dir);
  if (record === undefined) return;
  await stopProcess(HUB_CONTROLLERS, record.process, STOP_MS);
  await rm(recordFile(dir), { force: true });
}

/** The state of the controllers of the hub in a folder; undefined if they were not started, or were stopped. */
export async function inspectHubControllers(dir: string): Promise<ComponentStatus | undefined> {
  const record = await readRecord(dir);
  if (record === undefined) return undefined;
  const { process: identity, port } = record;
  const running = isRunning(identity);
  const answer = running ? await isReady(port).catch((error: unknown) => errorMessage(error)) : "not running";
  const resident = residentBytes(identity);
  return {
    name: HUB_CONTROLLERS,
    pid: identity.pid,
    port,
    logFile: logFile(layoutOf(dir), HUB_CONTROLLERS),
    running,
    ready: answer === true,
    ...(answer === true ? {} : { problem: answer || "not ready" }),
    ...(resident === undefined ? {} : { residentBytes: resident }),
  };
}

async function isReady(port: number): Promise<true | NotYet> {
  const answer = await fetch(`http://${LOOPBACK}:${port}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) });
  return answer.ok ? true : `${HUB_CONTROLLERS} answered ${answer.status}: ${await answer.text()}`;
}

function recordFile(dir: string): string {
  return path.join(dir, `${HUB_CONTROLLERS}.json`);
}

function writeRecord(dir: string, record: HubControllersRecord): void {
  writePrivateSync(recordFile(dir), `${JSON.stringify(record, undefined, 2)}\n`);
}

async function readRecord(dir: string): Promise<HubControllersRecord | undefined> {
  const value = parseJson((await readIfPresent(recordFile(dir))) ?? "");
  const [pid, started] = [numberAt(value, "process", "pid"), textAt(value, "process", "started")];
  const port = numberAt(value, "port");
  if (pid === undefined || started === undefined || port === undefined) return undefined;
  return { process: { pid, started }, port };
}
