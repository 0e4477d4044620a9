import { cloudStatusOf, controlMachine } from "../cloud";
import { type CommandContext, requireCloud } from "./context";
import { machineIn } from "./shell";

/** Cuts a machine's power ("crash"), or boots it again ("reboot"). */
export async function powerMachine(
  action: "crash" | "reboot",
  machine: string | undefined,
  context: CommandContext,
): Promise<void> {
  const cloud = await requireCloud(context);
  const { id } = machineIn(await cloudStatusOf(cloud), machine);
  await context.progress.step(`${action} of ${id}`, () => controlMachine(cloud, id, action));
}
