import path from "node:path";
import { BusWriter, type BusValue } from "./bus-message";
import type { HostUnits } from "./units";
import { BusError, overBus, type SystemBus } from "./system-bus";

const SYSTEMD = "org.freedesktop.systemd1";
const MANAGER = {
  destination: SYSTEMD,
  path: "/org/freedesktop/systemd1",
  interface: `${SYSTEMD}.Manager`,
};
const RUNNING = ["active", "activating", "reloading", "deactivating"];

/** Programs as transient services of the host's systemd, started over the host's D-Bus system bus. */
export class SystemdUnits implements HostUnits {
  readonly #socket: string;

  constructor(hostRoot: string) {
    this.#socket = path.join(hostRoot, "run/dbus/system_bus_socket");
  }

  async start(name: string, argv: readonly string[], description: string): Promise<void> {
    const properties: [string, BusValue][] = [
      ["Description", { type: "s", value: description }],
      // systemd expands variables; "$$" stands for a literal dollar sign.
      ["ExecStart", { type: "commands", value: [argv.map((word) => word.replaceAll("$", "$$$$"))] }],
      // The unit is removed when it ends, also on failure: the exit code is in a file.
      ["CollectMode", { type: "s", value: "inactive-or-failed" }],
    ];
    const body = new BusWriter().text(unit(name)).text("fail");
    body.array(properties, 8, ([key, value]) => body.text(key).variant(value));
    body.array([], 8, () => {});
    try {
      await overBus(this.#socket, (bus) =>
        bus.call({ ...MANAGER, member: "StartTransientUnit", signature: "ssa(sv)a(sa(sv))", body }),
      );
    } catch (error) {
      if (!(error instanceof BusError) || !error.message.includes("UnitExists")) throw error;
    }
  }

  isRunning(name: string): Promise<boolean> {
    return overBus(this.#socket, async (bus) => {
      const found = await this.#unit(bus, name);
      if (found === undefined) return false;
      const body = new BusWriter().text(`${SYSTEMD}.Unit`).text("ActiveState");
      const state = await bus.call({
        destination: SYSTEMD,
        path: found,
        interface: "org.freedesktop.DBus.Properties",
        member: "Get",
        signature: "ss",
        body,
      });
      return RUNNING.includes(state ?? "");
    });
  }

  stop(name: string): Promise<void> {
    return overBus(this.#socket, async (bus) => {
      if ((await this.#unit(bus, name)) === undefined) return;
      const body = new BusWriter().text(unit(name)).text("replace");
      await bus.call({ ...MANAGER, member: "StopUnit", signature: "ss", body });
    });
  }

  async #unit(bus: SystemBus, name: string): Promise<string | undefined> {
    try {
      return await bus.call({
        ...MANAGER,
        member: "GetUnit",
        signature: "s",
        body: new BusWriter().text(unit(name)),
      });
    } catch (error) {
      if (error instanceof BusError && error.message.includes("NoSuchUnit")) return undefined;
      throw error;
    }
  }
}

function unit(name: string): string {
  return `${name}.service`;
}
