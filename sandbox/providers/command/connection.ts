import type { types } from "@pulumi/command";
import { type Kind, type Members, shape, text, wholeNumber } from "../shell/kind";
import type { Plain } from "../shell/wire";

/** How to reach a machine over SSH, as the SDK writes it. */
export type Connection = Plain<types.input.remote.ConnectionArgs>;

/** How to reach the machine in between. */
export type ProxyConnection = Plain<types.input.remote.ProxyConnectionArgs>;

const endpointMembers: Members<ProxyConnection> = {
  agentSocketPath: { kind: text },
  dialErrorLimit: { kind: wholeNumber(-1) },
  host: { kind: text, required: true },
  hostKey: { kind: text },
  password: { kind: text },
  perDialTimeout: { kind: wholeNumber(0) },
  port: { kind: wholeNumber(1, 65535) },
  privateKey: { kind: text },
  privateKeyPassword: { kind: text },
  user: { kind: text },
};

export const connectionKind: Kind<Connection> = shape<Connection>({
  ...endpointMembers,
  proxy: { kind: shape<ProxyConnection>(endpointMembers) },
});

const DEFAULTS = { port: 22, user: "root", dialErrorLimit: 10, perDialTimeout: 15 } as const;

/** One SSH server to log in to, with every default filled in. */
export interface Endpoint extends Pick<
  ProxyConnection,
  "hostKey" | "password" | "privateKey" | "privateKeyPassword"
> {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** How many dials may fail before it is given up: 0 none, -1 any number. */
  readonly dialErrorLimit: number;
  /** How long one dial may take, in seconds; 0 is for ever. */
  readonly perDialTimeout: number;
  readonly agentSocketPath: string | undefined;
}

/** The endpoint of a connection or proxy. */
export function endpoint(connection: ProxyConnection, env: NodeJS.ProcessEnv = process.env): Endpoint {
  const fromEnvironment = env.SSH_AUTH_SOCK === "" ? undefined : env.SSH_AUTH_SOCK;
  return { ...DEFAULTS, ...connection, agentSocketPath: connection.agentSocketPath ?? fromEnvironment };
}

/** Where an endpoint is, as it is dialled. */
export function hostAndPort({ host, port }: Pick<Endpoint, "host" | "port">): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** An endpoint as a person writes it. */
export function address(target: Endpoint): string {
  return `${target.user}@${hostAndPort(target)}`;
}
