// Gives files that were written on a host with SELinux their labels back.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { errorMessage, type Logger } from "../../runtime";
import type { HostUnits } from "./units";

const RESTORECON = "/usr/sbin/restorecon";
/** A command line has an end; so many paths fit with room to spare. */
const MAX_PATHS = 500;

/**
 * A new file takes the label of its folder, and a rename keeps it: without this, sshd may not read a home's keys, and too many
 * may read `shadow`. Which label is right, only the host's policy knows; Node can set none, and the pod has neither the
 * policy nor the tool. So the host's own `restorecon` runs as a service of the host's systemd, as upgrades do.
 */
export class SelinuxLabels {
  readonly #proc: string;
  readonly #units: HostUnits;
  readonly #log: Logger;
  readonly #written = new Set<string>();
  #enabled: Promise<boolean> | undefined;
  #runs = 0;

  constructor(proc: string, units: HostUnits, log: Logger) {
    this.#proc = proc;
    this.#units = units;
    this.#log = log;
  }

  /** To be called when a file or folder of the host was made or replaced. */
  written(file: string): void {
    this.#written.add(file);
  }

  /** Has the labels restored of all that was written since, if the host has SELinux. What fails is tried again next time. */
  async restore(): Promise<void> {
    if (this.#written.size === 0) return;
    if (!(await (this.#enabled ??= hasSelinux(this.#proc)))) {
      this.#written.clear();
      return;
    }
    const paths = [...this.#written];
    for (let from = 0; from < paths.length; from += MAX_PATHS) {
      const some = paths.slice(from, from + MAX_PATHS);
      // A name of its own: under one that runs already, nothing is started.
      const name = `fleetwright-relabel-${process.pid}-${++this.#runs}`;
      try {
        await this.#units.start(name, [RESTORECON, "-i", ...some], "Restore SELinux labels of accounts");
        for (const one of some) this.#written.delete(one);
      } catch (error) {
        this.#log.warn("Could not restore SELinux labels; trying again.", { cause: errorMessage(error) });
        return;
      }
    }
  }
}

/** Whether the host has SELinux, enforcing or not: by the label of its first process. Other modules name none of this form. */
export async function hasSelinux(proc: string): Promise<boolean> {
  const label = await readFile(path.join(proc, "1/attr/current"), "utf8").catch(() => "");
  return /^[\w.-]+:[\w.-]+:[\w.-]+/.test(label);
}
