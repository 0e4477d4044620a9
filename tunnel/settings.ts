import { createHash } from "node:crypto";
import { isObject, numberAt, textAt } from "../lib/json";

/** The type of what a tunnel is asked and of what it answers. */
export const JSON_TYPE = "application/json";

/** A place that is dialed. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** The machine in between. */
export interface BastionLogin extends Endpoint {
  readonly user: string;
  /** A line as in an authorized_keys file. */
  readonly hostKey: string;
  readonly privateKey: string;
}

/** What a tunnel is between. */
export interface TunnelSettings {
  /** Project, stack and cluster. */
  readonly identity: string;
  /** The port of this machine's loopback address. */
  readonly localPort: number;
  readonly bastion: BastionLogin;
  /** All that can be reached through it: the API. */
  readonly target: Endpoint;
}

/** By which a tunnel is known to whoever wants to use it as well: nothing in it is secret. */
export function fingerprintOf({ identity, bastion, target }: TunnelSettings): string {
  const { host, port, user, hostKey } = bastion;
  return createHash("sha256")
    .update(JSON.stringify([identity, host, port, user, hostKey, target.host, target.port]))
    .digest("hex");
}

/** Settings as they come over a pipe. */
export function parseSettings(value: unknown): TunnelSettings {
  const complete =
    isObject(value) &&
    textAt(value, "identity") !== undefined &&
    numberAt(value, "localPort") !== undefined &&
    ["host", "user", "hostKey", "privateKey"].every((key) => textAt(value, "bastion", key) !== undefined) &&
    textAt(value, "target", "host") !== undefined;
  if (!complete) throw new TypeError("These are no settings of a tunnel.");
  return value as unknown as TunnelSettings;
}
