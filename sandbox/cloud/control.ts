import type { ControlHandler } from "../machines/control-socket";
import type { Cloud } from "./cloud";
import { portForward } from "./port-forward";
import type { CloudStatus } from "./status";

/**
 * The control API of a cloud's process, served on its control socket:
 * `GET /status`, `PUT /port-forwards/ID`, `POST /machines/ID/crash` and `POST /machines/ID/reboot`.
 */
export function controlHandler(cloud: Cloud): ControlHandler {
  return async ({ method, path, body }) => {
    const { machineHost } = cloud;
    const [, collection, id = "", action = ""] = path.split("/");
    if (method === "GET" && collection === "status") return statusOf(cloud);
    if (machineHost === undefined) return undefined;
    if (method === "PUT" && collection === "port-forwards") {
      await machineHost.networkServices.forwardPort({ id, ...portForward.parse(body) });
      return {};
    }
    if (method === "POST" && collection === "machines") {
      if (action === "crash") await machineHost.crash(id);
      else if (action === "reboot") await machineHost.reboot(id);
      else return undefined;
      return {};
    }
    return undefined;
  };
}

async function statusOf({ machineHost, errors }: Cloud): Promise<CloudStatus> {
  const machines = (await machineHost?.list()) ?? [];
  const volumes = (await machineHost?.volumes.list()) ?? [];
  return {
    machines: machines.map(({ id, state, privateIp, spec }) => ({
      ...{ id, state, privateIp, zone: spec.zone },
      ...(spec.tags.Name === undefined ? {} : { name: spec.tags.Name }),
    })),
    volumes: volumes.map(({ id, sizeGiB, state, attachment }) => ({
      ...{ id, sizeGiB, state },
      ...(attachment === undefined ? {} : { machineId: attachment.machineId }),
    })),
    balancers: (machineHost?.networkServices.loadBalancers() ?? []).map(({ id, name, listeners }) => ({
      name: name ?? id,
      ports: listeners.map(({ port }) => port),
    })),
    errors: errors(),
  };
}
