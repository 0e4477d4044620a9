// Whether something can be reached, and what to say where it cannot.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { errorMessage } from "../lib/failure";
import { textAt } from "../lib/json";
import { LOOPBACK } from "../lib/port";
import { statusOf } from "./open";
import type { Endpoint, TunnelSettings } from "./settings";

const DIAL_MS = 10_000;
const PAUSE_MS = 2_000;

/** Dials a place; undefined where it answers, else why not. */
export async function dial({ host, port }: Endpoint, milliseconds = DIAL_MS): Promise<string | undefined> {
  const socket = connect({ host, port });
  try {
    await connected(socket, milliseconds);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  } finally {
    socket.destroy();
  }
}

/**
 * Dials a machine that boots until it answers. Where it does not within a while, a sentence that says what was tried, from
 * where, for how long, and what came of it.
 */
export async function bootProblem(
  what: string,
  endpoint: Endpoint,
  limit: { readonly milliseconds: number; readonly signal?: AbortSignal },
): Promise<string | undefined> {
  const end = Date.now() + limit.milliseconds;
  for (;;) {
    const why = await dial(endpoint, Math.max(1, Math.min(DIAL_MS, end - Date.now())));
    if (why === undefined || limit.signal?.aborted === true) return undefined;
    if (Date.now() >= end)
      return `${what} at ${endpoint.host}:${endpoint.port} was tried from ${ownAddresses()} for ${limit.milliseconds / 1000} s and does not answer: ${why}.`;
    await pause(Math.min(PAUSE_MS, Math.max(0, end - Date.now())));
  }
}

/** Why the API cannot be reached through a tunnel, in a sentence with what to set; undefined where it can. */
export async function reachProblem({
  localPort,
  bastion,
  target,
}: TunnelSettings): Promise<string | undefined> {
  const socket = connect({ host: LOOPBACK, port: localPort });
  try {
    await connected(socket, DIAL_MS);
    const host = Buffer.from(target.host);
    const port = Buffer.from([target.port >> 8, target.port & 255]);
    socket.write(Buffer.concat([Buffer.from([5, 1, 0, 5, 1, 0, 3, host.length]), host, port]));
    let answer = Buffer.alloc(0);
    while (answer.length < 4) {
      const [chunk] = (await once(socket, "data", { signal: AbortSignal.timeout(4 * DIAL_MS) })) as [Buffer];
      answer = Buffer.concat([answer, chunk]);
    }
    if (answer[3] === 0) return undefined;
  } catch {
    // Told below: the tunnel knows more of it than its client.
  } finally {
    socket.destroy();
  }
  const why = (await statusOf(localPort))?.lastFailure ?? "the tunnel did not answer";
  return `The API at ${target.host}:${target.port} was tried through the bastion ${bastion.host}, from ${ownAddresses()}, and could not be reached: ${why}. ${fixOf(why)}`;
}

function fixOf(why: string): string {
  if (why.includes("could not reach")) return "Look at the cluster's servers and its load balancer.";
  if (/verif|host key|handshake|authentication/i.test(why))
    return "Another machine has that address, or the login key is another one: run the update, which makes them agree.";
  return "Put the public address that you have there into network.bastion.from, and run the update from an address that is in it.";
}

/** The addresses of this machine, as the message names them. */
export function ownAddresses(): string {
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => address);
  return addresses.length === 0 ? "this machine" : `this machine (${addresses.join(", ")})`;
}

async function connected(socket: Socket, milliseconds: number): Promise<void> {
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(milliseconds) });
  } catch (error) {
    if (textAt(error, "name") === "AbortError")
      throw new Error(`no answer within ${milliseconds / 1000} s`, { cause: error });
    throw error;
  }
}
