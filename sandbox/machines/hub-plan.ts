import path from "node:path";
import type { HubState } from "./hub-state";
import type { RelayPlan } from "./relay";
import type { HallRecord } from "./record";
import type { ForwardSpec } from "./spec";

/** What the hub inside the sandbox's network serves. */
export function hubPlan(record: HallRecord, sockets: string): HubState {
  return {
    machines: Object.values(record.machines).map(({ spec }) => spec),
    listeners: Object.values(record.loadBalancers).flatMap(({ id, addresses, listeners }) =>
      listeners.map(({ port, healthCheck, targets }) => ({
        ...{ loadBalancer: id, port, healthCheck },
        addresses: addresses.map(({ ip }) => ip),
        targets: targets.flatMap(({ machineId, ip, port: targetPort }) => {
          // A target that names a machine that is gone has no address to send anything to.
          const address = ip ?? record.machines[machineId ?? ""]?.spec.privateIp;
          return address === undefined ? [] : [{ ip: address, port: targetPort }];
        }),
      })),
    ),
    relays: relaysOf(record, sockets, "inside"),
    names: namesOf(record),
  };
}

// As in a VPC: a machine is known by its address, a load balancer by its own name.
function namesOf({ machines, loadBalancers }: HallRecord): Record<string, string[]> {
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
              addresses.map(({ ip }) => ip),
            ),
          ],
    ),
  ]);
}

/** What the hub outside serves: the other ends of the doors. */
export function gatePlan(record: HallRecord, sockets: string): HubState {
  return { machines: [], listeners: [], relays: relaysOf(record, sockets, "outside"), names: {} };
}

function relaysOf(record: HallRecord, sockets: string, side: "inside" | "outside"): RelayPlan[] {
  return Object.values(record.forwards).flatMap((forward) => relayOf(forward, sockets, side) ?? []);
}

// Two network namespaces have the file system in common: a door between them is two relays and a socket file.
function relayOf(forward: ForwardSpec, sockets: string, side: "inside" | "outside"): RelayPlan | undefined {
  const { id, listen, target } = forward;
  const middle = { path: path.join(sockets, `door-${id}.sock`) };
  const from = { host: listen.host, port: listen.port };
  const to = { host: target.host, port: target.port };
  if (listen.side === target.side) return listen.side === side ? { id, listen: from, target: to } : undefined;
  return listen.side === side ? { id, listen: from, target: middle } : { id, listen: middle, target: to };
}
