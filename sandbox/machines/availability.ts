import { accessSync, constants } from "node:fs";
import path from "node:path";
import { systemEnvironment } from "./command";

/** Whether machines can run here, and if not, why and what to do. */
export type Availability = { ok: true } | { ok: false; reason: string };

/** The programs of the host that machines need, with the Debian package that has each. */
export const REQUIRED_PROGRAMS: Readonly<Record<string, string>> = {
  debootstrap: "debootstrap",
  ip: "iproute2",
  nsenter: "util-linux",
  unshare: "util-linux",
  setpriv: "util-linux",
  losetup: "mount",
};

/** What decides; read from the system, or given by a test. */
export interface HostFacts {
  platform: string;
  uid: number;
  missingPrograms: readonly string[];
  loopControl: boolean;
  /** The control groups: one hierarchy (v2), one per controller (v1), or none that could be used. */
  cgroups: "v1" | "v2" | "none";
}

/** Decides from the facts. The reason has one sentence for each problem. */
export function availabilityOf(facts: HostFacts): Availability {
  const packages = [...new Set(facts.missingPrograms.map((name) => REQUIRED_PROGRAMS[name] ?? name))];
  const problems = [
    ...(facts.platform === "linux" ? [] : [`Machines need Linux; this is ${facts.platform}.`]),
    ...(facts.uid === 0 ? [] : [`Machines need root; this process has the user id ${facts.uid}.`]),
    ...(packages.length === 0
      ? []
      : [
          `These programs are missing: ${facts.missingPrograms.join(", ")}. On Debian or Ubuntu: apt-get install ${packages.join(" ")}.`,
        ]),
    ...(facts.loopControl ? [] : ["There is no /dev/loop-control, so volumes cannot be made."]),
    ...(facts.cgroups === "none" ? ["No control groups are mounted below /sys/fs/cgroup."] : []),
  ];
  return problems.length === 0 ? { ok: true } : { ok: false, reason: problems.join(" ") };
}

/** What runs machines: systemd-nspawn or, where that is missing or not wanted, plain namespaces. */
export function machineRunner(env: NodeJS.ProcessEnv = process.env): "nspawn" | "namespaces" {
  return env.FLEETWRIGHT_MACHINES === "namespaces" || !there("systemd-nspawn") ? "namespaces" : "nspawn";
}

function there(program: string): boolean {
  const folders = (systemEnvironment().PATH ?? "").split(path.delimiter).filter((folder) => folder !== "");
  return folders.some((folder) => exists(path.join(folder, program), constants.X_OK));
}

/** Looks whether machines can run here. Changes nothing. */
export function machinesAvailable(): Availability {
  return availabilityOf(hostFacts());
}

/** What this host has of what machines need. */
export function hostFacts(): HostFacts {
  return {
    platform: process.platform,
    uid: process.getuid?.() ?? -1,
    missingPrograms: Object.keys(REQUIRED_PROGRAMS).filter((name) => !there(name)),
    loopControl: exists("/dev/loop-control"),
    cgroups: cgroupVersion(),
  };
}

/** Which control groups the host has. */
export function cgroupVersion(): HostFacts["cgroups"] {
  if (exists("/sys/fs/cgroup/cgroup.controllers")) return "v2";
  return exists("/sys/fs/cgroup/systemd/cgroup.procs") ? "v1" : "none";
}

function exists(file: string, mode: number = constants.F_OK): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}
