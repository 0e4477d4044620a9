import { spawn } from "node:child_process";
import path from "node:path";
import { cloudStatusOf, type CloudStatus, type RunningCloud } from "../cloud";
import { ExitCode, Failure } from "../../lib/failure";
import { machineCommand } from "../machines";

/** Finds a machine by its id, the name in its tags, or its address. */
export function machineIn(
  { machines }: Pick<CloudStatus, "machines">,
  wanted: string | undefined,
): CloudStatus["machines"][number] {
  const found = machines.filter(({ id, name, privateIp }) => [id, name, privateIp].includes(wanted));
  const [machine, ...others] = found;
  if (wanted !== undefined && machine !== undefined && others.length === 0) return machine;
  const list = machines.map(({ id, name, privateIp }) => `\n  ${id}  ${privateIp}  ${name ?? ""}`).join("");
  const problem =
    wanted === undefined
      ? "Name a machine by its instance id, name or address."
      : `${found.length === 0 ? "There is no machine" : "There is more than one machine"} "${wanted}".`;
  throw new Failure(
    `${problem} ${machines.length === 0 ? "The cloud has no machines." : `The cloud has:${list}`}`,
    ExitCode.usage,
  );
}

/** Opens a root shell in a machine, or runs a command there; gives its exit code. */
export async function openShell(cloud: RunningCloud, [wanted, ...argv]: readonly string[]): Promise<number> {
  const machine = machineIn(await cloudStatusOf(cloud), wanted);
  const folder = path.join(path.dirname(path.dirname(cloud.logFile)), "machines");
  const [program = "", ...args] = await machineCommand(
    folder,
    machine.id,
    argv.length === 0 ? ["bash", "--login"] : argv,
  );
  const child = spawn(program, args, { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      resolve(signal === null ? (code ?? ExitCode.failed) : ExitCode.interrupted),
    );
  });
}
