import { realpath } from "node:fs/promises";
import { Failure } from "../../lib/failure";
import { isAlive } from "./machine-power";
import { MachineShell } from "./machine-shell";
import { readHostRecord } from "./record";

/** The command line that runs another one as root in a machine of a folder's machine host, whichever process owns it. */
export async function machineCommand(dir: string, id: string, argv: readonly string[]): Promise<string[]> {
  const process = (await readHostRecord(await realpath(dir))).machines[id]?.process;
  if (!isAlive(process)) throw new Failure(`The machine ${id} is not running.`);
  return new MachineShell(process).command(argv);
}
