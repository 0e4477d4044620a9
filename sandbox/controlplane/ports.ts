import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { randomInt } from "node:crypto";
import { errorCode, Failure } from "../../lib/failure";
import { LOOPBACK } from "./network";

/** The ports of one control plane. */
export interface Ports {
  etcdClient: number;
  etcdPeer: number;
  apiServer: number;
  controllerManager: number;
  scheduler: number;
  kwok: number;
}

/** Ports from `from` up to and without `to`. */
export interface PortRange {
  from: number;
  to: number;
}

const FIRST = 10_000;
const NODE_PORTS = 30_000;

/**
 * Ports that neither outgoing connections (the ephemeral range) nor services (node ports) take by themselves.
 * `ephemeral` is the text of /proc/sys/net/ipv4/ip_local_port_range.
 */
export function serverPorts(ephemeral: string): PortRange {
  const first = Number.parseInt(ephemeral, 10);
  // A machine whose ephemeral range begins very low leaves no room below it; binding decides there.
  const to = Number.isNaN(first) || first < FIRST + 1000 ? NODE_PORTS : Math.min(first, NODE_PORTS);
  return { from: FIRST, to };
}

/** Chooses free ports, keeping those of `wanted` that are still free. */
export async function choosePorts(wanted: Partial<Ports> = {}): Promise<Ports> {
  const range = serverPorts(await ephemeralRange());
  const taken = new Set<number>();
  const choose = async (preferred: number | undefined): Promise<number> => {
    if (preferred !== undefined && !taken.has(preferred) && (await isFree(preferred))) {
      taken.add(preferred);
      return preferred;
    }
    for (let attempt = 0; attempt < 200; attempt++) {
      const port = randomInt(range.from, range.to);
      if (!taken.has(port) && (await isFree(port))) {
        taken.add(port);
        return port;
      }
    }
    throw new Failure(
      `No free port on ${LOOPBACK} in 200 tries between ${range.from} and ${range.to - 1}. Stop what listens there.`,
    );
  };
  return {
    etcdClient: await choose(wanted.etcdClient),
    etcdPeer: await choose(wanted.etcdPeer),
    apiServer: await choose(wanted.apiServer),
    controllerManager: await choose(wanted.controllerManager),
    scheduler: await choose(wanted.scheduler),
    kwok: await choose(wanted.kwok),
  };
}

/** Whether a server could listen on this port of the loopback address now. */
export async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) => {
      if (["EADDRINUSE", "EACCES"].includes(errorCode(error) ?? "")) resolve(false);
      else reject(error);
    });
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}

/** Whether a component's log says that another process took its port between the choice and the start. */
export function lostPort(log: string): boolean {
  return /address already in use/i.test(log);
}

async function ephemeralRange(): Promise<string> {
  try {
    return await readFile("/proc/sys/net/ipv4/ip_local_port_range", "utf8");
  } catch {
    return "";
  }
}
