import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import type { ControlPlane } from "../../../sandbox/controlplane";
import { waitFor } from "./fixture";

/** A program of a control plane that tests kill, freeze and start again. */
export class Component {
  readonly #command: string[];
  readonly #cwd: string;
  #pid: number;
  #child: ChildProcess | undefined;

  constructor(pid: number) {
    this.#pid = pid;
    this.#command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean);
    this.#cwd = readlinkSync(`/proc/${pid}/cwd`);
  }

  /** The value of a flag on its command line. */
  flag(name: string): string {
    return this.#command.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? "";
  }

  signal(name: NodeJS.Signals): void {
    process.kill(this.#pid, name);
  }

  /** Kills it and waits until it is gone. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await waitFor("the process to be gone", () => {
      try {
        return /^State:\s+Z/m.test(readFileSync(`/proc/${this.#pid}/status`, "utf8"));
      } catch {
        return true;
      }
    });
  }

  /** Starts it again with the command line that it had. */
  start(): void {
    const [program = "", ...args] = this.#command;
    this.#child = spawn(program, args, { cwd: this.#cwd, stdio: "ignore" });
    this.#pid = this.#child.pid ?? this.#pid;
  }

  /** Kills what `start` started. */
  end(): void {
    this.#child?.kill("SIGKILL");
  }
}

/** The program of a control plane by its name. */
export function componentOf(plane: ControlPlane, name: string): Component {
  const found = plane.processes.find((process) => process.name === name);
  if (found === undefined) throw new Error(`There is no ${name}.`);
  return new Component(found.pid);
}
