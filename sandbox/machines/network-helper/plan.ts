import path from "node:path";
import type { NetworkHelperState } from "./state";
import type { RelayPlan } from "./relay";
import type { HostRecord } from "../record";
import type { PortForwardSpec } from "../spec";

/** What the network helper inside the sandbox's network serves: everything. */
export function insidePlan(record: HostRecord, sockets: string): NetworkHelperState {
  return {
    machines: Object.values(record.machines).map(({ spec }) => spec),
    listeners: Object.values(record.loadBalancers).flatMap(({ id, addresses, listeners }) =>
      listeners.map(({ port, healthCheck, targets }) => ({
        ...{ loadBalancer: id, port, healthCheck },
        addresses: addresses.map(({ ip }) => ip),
        targets: targets.flatMap(({ machineId, ip, port: targetPort }) => {
          // A target on a machine that is gone has no address.
          const address = ip ?? record.machines[machineId ?? ""]?.spec.privateIp;
          return address === undefined ? [] : [{ ip: address, port: targetPort }];
        }),
      })),
    ),
    relays: relaysOf(record, sockets, "inside"),
    names: namesOf(record),
  };
}

// As in a VPC: a machine is known by its address, a load balancer by its own name; one that faces the internet by its public
// addresses, whoever asks.
function namesOf({ machines, loadBalancers }: HostRecord): Record<string, string[]> {
  const of = (name: string, ips: string[]): [string, string[]] => [name.toLowerCase(), ips];
  return Object.fromEntries([
    ...Object.values(machines).flatMap(({ spec: { hostname, region, privateIp } }) =>
      [hostname, `${hostname}.${region}.compute.internal`].map((name) => of(name, [privateIp])),
    ),
    ...Object.values(loadBalancers).flatMap(({ name, addresses }) =>
      name === undefined
        ? []
        : [
            of(
              name,
              addresses.map(({ ip, publicIp }) => publicIp ?? ip),
            ),
          ],
    ),
  ]);
}

/** What the network helper outside serves: the other ends of port-forwards. */
export function outsidePlan(record: HostRecord, sockets: string): NetworkHelperState {
  return { machines: [], listeners: [], relays: relaysOf(record, sockets, "outside"), names: {} };
}

function relaysOf(record: HostRecord, sockets: string, side: "inside" | "outside"): RelayPlan[] {
  return Object.values(record.forwards).flatMap((forward) => relayOf(forward, sockets, side) ?? []);
}

// Network namespaces share the file system: a port-forward between two of them is two relays and a socket file.
function relayOf(
  forward: PortForwardSpec,
  sockets: string,
  side: "inside" | "outside",
): RelayPlan | undefined {
  const { id, listen, target } = forward;
  const middle = { path: path.join(sockets, `forward-${id}.sock`) };
  const from = { host: listen.host, port: listen.port };
  const to = { host: target.host, port: target.port };
  if (listen.side === target.side) return listen.side === side ? { id, listen: from, target: to } : undefined;
  return listen.side === side ? { id, listen: from, target: middle } : { id, listen: middle, target: to };
}
