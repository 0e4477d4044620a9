import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, readlinkSync } from "node:fs";
import { access, rename } from "node:fs/promises";
import { waitFor } from "./deadline";
import { errorCode, ExitCode, Failure } from "./failure";
import { readIfPresent } from "./files";
import { significantLines } from "./significant-lines";

/** A process that cannot be mistaken for another one that later got the same id. */
export interface ProcessIdentity {
  pid: number;
  /** The boot and the clock tick at which it began. */
  started: string;
}

/**
 * "owned" ends with the process that started it, even if that one is killed; "detached" lives on.
 */
export type Lifetime = "owned" | "detached";

/** What to run. */
export interface ProcessSpec {
  name: string;
  command: string;
  args: readonly string[];
  /** The whole environment: nothing is inherited, since many programs take settings from variables. */
  env: Readonly<Record<string, string>>;
  logFile: string;
  lifetime: Lifetime;
}

/** How a process ended. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process that was started here. */
export interface StartedProcess {
  readonly spec: ProcessSpec;
  readonly identity: ProcessIdentity;
  readonly ended: Promise<ProcessEnd>;
}

/** A process ended that should have kept running. */
export class ProcessEndedError extends Failure {
  readonly #log: string;

  constructor(
    readonly processName: string,
    readonly end: ProcessEnd,
    readonly logFile: string,
    log: string,
  ) {
    const how = end.signal === null ? `exit code ${end.code ?? "unknown"}` : `signal ${end.signal}`;
    const lines = significantLines(log, 8);
    const said = lines.length === 0 ? "It wrote nothing." : `Last relevant lines:\n${indent(lines)}`;
    super(`${processName} ended with ${how}. Its log is ${logFile}. ${said}`);
    this.#log = log;
  }

  /** The whole log. A getter, so that it is not printed with the error. */
  get log(): string {
    return this.#log;
  }
}

/** Starts a process with its output in its log file; the log of the run before is kept as `.previous`. */
export async function startProcess(spec: ProcessSpec): Promise<StartedProcess> {
  await checkExecutable(spec);
  await keepPreviousLog(spec.logFile);
  const guarded = spec.lifetime === "owned" && (await hasParentDeathSignal());
  const [command, args] = guarded
    ? ["setpriv", ["--pdeathsig", "KILL", "--", spec.command, ...spec.args]]
    : [spec.command, [...spec.args]];
  const log = openSync(spec.logFile, "a", 0o600);
  try {
    const child = spawn(command, args, {
      env: { ...spec.env },
      stdio: ["ignore", log, log],
      // Its own session: Ctrl-C in a terminal reaches the owner, which then stops things in their order.
      detached: guarded || spec.lifetime === "detached",
    });
    if (spec.lifetime === "owned" && !guarded) killOnExit(child);
    // A caller that forgets to stop an owned process must not hang on it.
    child.unref();
    return { spec, ...(await observe(child, spec)) };
  } finally {
    closeSync(log);
  }
}

/** The identity of a running process, or undefined where there is none with this id. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = processStat(pid);
  return stat === undefined ? undefined : { pid, started: `${bootId()}:${stat.startTick}` };
}

/** Whether this very process is running; a zombie is not. */
export function isRunning(identity: ProcessIdentity): boolean {
  const stat = processStat(identity.pid);
  if (stat === undefined || stat.state === "Z" || stat.state === "X") return false;
  return identity.started === `${bootId()}:${stat.startTick}`;
}

/** Resident memory in bytes, or undefined if the process is not running. */
export function residentBytes(identity: ProcessIdentity): number | undefined {
  if (!isRunning(identity)) return undefined;
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${identity.pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Asks a process to end, waits, and kills it after the grace period. Does nothing if it has ended. */
export async function stopProcess(name: string, identity: ProcessIdentity, graceMs = 10_000): Promise<void> {
  const gone = (): boolean => !isRunning(identity);
  const wait = { timeoutMs: graceMs, intervalMs: 20 };
  if (!signal(identity, "SIGTERM")) return;
  try {
    await waitFor(`${name} (process ${identity.pid}) to end after SIGTERM`, gone, wait);
  } catch {
    if (!signal(identity, "SIGKILL")) return;
    await waitFor(`${name} (process ${identity.pid}) to end after SIGKILL`, gone, {
      ...wait,
      timeoutMs: 10_000,
    });
  }
}

/** Ends a process at once. */
export function killProcess(identity: ProcessIdentity): void {
  signal(identity, "SIGKILL");
}

/** The process id namespace of this process: ids of another one say nothing here. */
export function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "unknown";
  }
}

/** Reads the two fields of /proc/<pid>/stat that matter; the name in parentheses may hold anything. */
export function parseProcessStat(text: string): { state: string; startTick: string } | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  const startTick = fields[19];
  return state === undefined || startTick === undefined ? undefined : { state, startTick };
}

function processStat(pid: number): { state: string; startTick: string } | undefined {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

let boot: string | undefined;
function bootId(): string {
  boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return boot;
}

function signal(identity: ProcessIdentity, name: NodeJS.Signals): boolean {
  if (!isRunning(identity)) return false;
  try {
    return process.kill(identity.pid, name);
  } catch (error) {
    if (errorCode(error) === "ESRCH") return false;
    throw error;
  }
}

async function observe(child: ChildProcess, spec: ProcessSpec): Promise<Omit<StartedProcess, "spec">> {
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (code, signalName) => resolve({ code, signal: signalName }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) =>
      reject(new Failure(`${spec.name} did not start: ${error.message}`, ExitCode.failed, { cause: error })),
    );
  });
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  if (identity === undefined) {
    throw new ProcessEndedError(
      spec.name,
      await ended,
      spec.logFile,
      (await readIfPresent(spec.logFile)) ?? "",
    );
  }
  return { identity, ended };
}

async function checkExecutable(spec: ProcessSpec): Promise<void> {
  try {
    await access(spec.command, constants.X_OK);
  } catch (error) {
    throw new Failure(
      `${spec.name} cannot be started: ${spec.command} is missing or not executable.`,
      ExitCode.failed,
      {
        cause: error,
      },
    );
  }
}

async function keepPreviousLog(path: string): Promise<void> {
  try {
    await rename(path, `${path}.previous`);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

let parentDeathSignal: Promise<boolean> | undefined;
async function hasParentDeathSignal(): Promise<boolean> {
  parentDeathSignal ??= new Promise((resolve) => {
    const probe = spawn("setpriv", ["--pdeathsig", "KILL", "--", "true"], { stdio: "ignore" });
    probe.once("error", () => resolve(false));
    probe.once("exit", (code) => resolve(code === 0));
  });
  const has = await parentDeathSignal;
  if (!has) {
    process.emitWarning(
      "setpriv with --pdeathsig (util-linux 2.33 or newer) is missing: processes of the sandbox stay behind if this one is killed by SIGKILL. Install util-linux.",
      { code: "FLEETWRIGHT_NO_PDEATHSIG" },
    );
  }
  return has;
}

function killOnExit(child: ChildProcess): void {
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.removeListener("exit", kill));
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join("\n");
}
