import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import type { types } from "@pulumi/command";

/** A machine in between, through which nodes are reached. */
export interface ProxyArgs {
  host: pulumi.Input<string>;
  /** A line as in an authorized_keys file. It is not optional: a proxy that is not known could read everything. */
  hostKey: pulumi.Input<string>;
  /** @default 22 */
  port?: pulumi.Input<number>;
  user: pulumi.Input<string>;
  /** @default the nodes' own */
  privateKey?: pulumi.Input<string>;
}

/** How nodes are logged in to. */
export interface LoginArgs {
  /** The private key, as OpenSSH or PEM writes it. Give it as a secret. */
  privateKey: pulumi.Input<string>;
  /** The user that is made on every node, with sudo. @default "fw-admin" */
  user?: string;
  /** @default 22 */
  port?: number;
  /** Ranges from which nodes may be logged in to. @default the network's own range */
  fromCidrs?: pulumi.Input<string>[];
  /** A bastion, where the nodes' private addresses cannot be reached from where Pulumi runs. */
  proxy?: ProxyArgs;
}

/**
 * The user on nodes where none is named. A connection is a secret as a whole, and the engine hides its parts wherever they
 * appear: so it is a word that appears nowhere else.
 */
export const DEFAULT_USER = "fw-admin";

/** The public half of the login key, as a line of an authorized_keys file. */
export function publicKeyOf(login: LoginArgs, parent: pulumi.Resource): pulumi.Output<string> {
  const privateKey = pulumi.output(login.privateKey);
  const isOpenSsh = privateKey.apply((key) => key.includes("BEGIN OPENSSH PRIVATE KEY"));
  const found = pulumi
    .all([privateKey, isOpenSsh])
    .apply(([key, openSsh]) =>
      tls.getPublicKeyOutput(openSsh ? { privateKeyOpenssh: key } : { privateKeyPem: key }, { parent }),
    );
  // The public half of a secret is none.
  return pulumi.unsecret(found.apply(({ publicKeyOpenssh }) => publicKeyOpenssh.trim()));
}

/**
 * The connection to a node. Its host key is always given, so that nobody in between is ever talked to. Dials are repeated
 * for as long as the command that uses it may take: a machine that boots refuses them at first.
 */
export function connectionTo(
  host: pulumi.Input<string>,
  hostKey: pulumi.Input<string>,
  login: LoginArgs,
  dialErrorLimit = 30,
): types.input.remote.ConnectionArgs {
  const { proxy } = login;
  return {
    host,
    hostKey,
    port: login.port ?? 22,
    user: login.user ?? DEFAULT_USER,
    privateKey: login.privateKey,
    dialErrorLimit,
    perDialTimeout: 15,
    ...(proxy === undefined
      ? {}
      : {
          proxy: {
            host: proxy.host,
            hostKey: proxy.hostKey,
            port: proxy.port ?? 22,
            user: proxy.user,
            privateKey: proxy.privateKey ?? login.privateKey,
            dialErrorLimit,
          },
        }),
  };
}
