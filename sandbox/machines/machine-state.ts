import path from "node:path";
import { readIfPresent } from "../../lib/files";
import { endOf, machineFolder } from "./machine";
import { isAlive } from "./machine-power";
import type { HostRecord } from "./record";
import type { MachineSpec } from "./spec";

/** A machine's state. "crashed" is one that should run and was killed. */
export interface MachineState {
  id: string;
  state: "running" | "stopped" | "crashed";
  /** The desired state; a machine that should run and is "stopped" shut itself down. */
  desired: "running" | "stopped";
  privateIp: string;
  spec: MachineSpec;
}

/** The states of all machines of a record. */
export async function machineStates(dir: string, record: HostRecord): Promise<MachineState[]> {
  return Promise.all(
    Object.values(record.machines).map(async ({ spec, desired, process }) => {
      const down = desired === "stopped" ? "stopped" : await endOf(dir, spec.id);
      const state = isAlive(process) ? "running" : down;
      return { id: spec.id, state, desired, privateIp: spec.privateIp, spec };
    }),
  );
}

/** A machine's console output since its last start, and the whole log of cloud-init. */
export async function consoleOutput(dir: string, id: string): Promise<string> {
  const { console, folder } = machineFolder(dir, id);
  const cloudInit = path.join(folder, "upper/var/log/cloud-init-output.log");
  return [await readIfPresent(console), await readIfPresent(cloudInit)].join("");
}
