import type * as pulumi from "@pulumi/pulumi";

/** A machine in between, through which nodes are reached. */
export interface ProxyArgs {
  host: pulumi.Input<string>;
  /** A line as in an authorized_keys file, of an Ed25519 or ECDSA key. It is not optional: a proxy that is not known could read everything. */
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
  /** Ranges from which nodes may be logged in to. @default the network's own range, or none beside a bastion */
  fromCidrs?: pulumi.Input<string>[];
  /** A bastion, where the nodes' private addresses cannot be reached from where Pulumi runs. */
  proxy?: ProxyArgs;
}

/** The port of SSH where none is named. */
export const DEFAULT_PORT = 22;

/**
 * The user on nodes where none is named. A connection is a secret as a whole, and the engine hides its parts wherever they
 * appear: so it is a word that appears nowhere else.
 */
export const DEFAULT_USER = "fw-admin";
