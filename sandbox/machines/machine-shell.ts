import { existsSync, readFileSync } from "node:fs";
import { isRunning, type ProcessIdentity } from "../../lib/process";
import { errorCode, Failure } from "../../lib/failure";
import { attempt, run, type CommandOptions, type CommandResult } from "./command";

const MACHINE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** systemd as the first process takes these signals as orders; Node has no names for them. */
const SIGNAL = { powerOff: 34 + 4, reboot: 34 + 5 };

const PUT_FILE =
  'mkdir -p "$(dirname "$1")"; (umask 077; cat >"$1.new"); chmod "$2" "$1.new"; mv "$1.new" "$1"';

/** What can be done inside a machine that runs, as root and without its network. */
export class MachineShell {
  constructor(private readonly machine: ProcessIdentity) {}

  /** Runs a command and gives its result, whatever its exit code. */
  async attempt(argv: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
    return attempt(this.command(argv), { env: environment(), ...options });
  }

  /** Runs a command that has to succeed and gives what it printed. */
  async run(argv: readonly string[], options: CommandOptions = {}): Promise<string> {
    return run(this.command(argv), { env: environment(), ...options });
  }

  /** Writes a file. */
  async write(file: string, text: string, mode = 0o644): Promise<void> {
    await this.run(["sh", "-euc", PUT_FILE, "sh", file, mode.toString(8)], { stdin: text });
  }

  /** Copies a file of the host into the machine. */
  async copy(from: string, to: string, mode = 0o644): Promise<void> {
    await this.feed(from, ["sh", "-euc", PUT_FILE, "sh", to, mode.toString(8)]);
  }

  /** Runs a command that has to succeed, with a file of the host as its input, however large. */
  async feed(file: string, argv: readonly string[]): Promise<void> {
    const script = 'file=$1; shift; exec "$@" <"$file"';
    await run(["sh", "-euc", script, "sh", file, ...this.command(argv)], { env: environment() });
  }

  /** The command line that runs another one inside. */
  command(argv: readonly string[]): string[] {
    const leader = leaderOf(this.machine);
    if (leader === undefined) throw new Failure(`The machine of process ${this.machine.pid} is not running.`);
    const spaces = ["--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd"];
    return ["nsenter", "--target", String(leader), ...spaces, "--", ...argv];
  }
}

/** The host's id of a machine's first process; undefined while there is none, as in the middle of a reboot. */
export function leaderOf(machine: ProcessIdentity): number | undefined {
  if (!isRunning(machine)) return undefined;
  return childrenOf(machine.pid)
    .flatMap(childrenOf)
    .find((pid) => /^NSpid:\s+\d+\s+1$/m.test(read(`/proc/${pid}/status`)));
}

/** Whether a machine's systemd runs as far as to take orders. */
export function acceptsCommands(machine: ProcessIdentity): boolean {
  const leader = leaderOf(machine);
  // Before it is systemd it is still nspawn, and its root may be the host's.
  return (
    leader !== undefined &&
    read(`/proc/${leader}/comm`).trim() === "systemd" &&
    existsSync(`/proc/${leader}/root/run/systemd/private`)
  );
}

/** Asks a machine's first process to power off or to reboot. */
export function signalMachine(machine: ProcessIdentity, order: keyof typeof SIGNAL): boolean {
  const leader = leaderOf(machine);
  if (leader === undefined) return false;
  try {
    return process.kill(leader, SIGNAL[order]);
  } catch (error) {
    if (errorCode(error) === "ESRCH") return false;
    throw error;
  }
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: MACHINE_PATH, HOME: "/root", LC_ALL: "C.UTF-8" };
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`)
    .split(" ")
    .filter((word) => word !== "")
    .map(Number);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
