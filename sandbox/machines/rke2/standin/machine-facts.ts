import os from "node:os";
import { Failure } from "../../../../lib/failure";
import { listAt, parseJson, textAt } from "../../../../lib/json";
import { run } from "../../command";
import type { MachineFacts } from "./settings";

/** The machine's name, and the interface and address that its default route leaves by. */
export async function machineFacts(): Promise<MachineFacts & { device: string }> {
  const routes = parseJson(await run(["ip", "-json", "-4", "route", "show", "default"]));
  const device = textAt(routes, 0, "dev");
  if (device === undefined)
    throw new Failure("no default routes found: this machine has no way out of its subnet.");
  const addresses = parseJson(await run(["ip", "-json", "-4", "addr", "show", "dev", device]));
  const address = listAt(addresses, 0, "addr_info")
    .map((entry) => textAt(entry, "local"))
    .find((local) => local !== undefined);
  if (address === undefined) throw new Failure(`The interface ${device} has no address.`);
  return { hostname: os.hostname().split(".")[0] ?? os.hostname(), address, device };
}
