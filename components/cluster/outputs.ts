import type * as pulumi from "@pulumi/pulumi";

/** A pool as it came out. */
export interface NodePoolOutput {
  name: string;
  count: number;
  /** The auto scaling group or managed node group; empty where every node is an instance of its own. */
  groupName: string;
}

/** A member's state as it came out. */
export interface StateVolumeOutput {
  member: string;
  volumeId: string;
  networkInterfaceId: string;
  address: string;
  zone: string;
}

/** A bastion as it came out, and where the API behind it is reached while a tunnel is open. */
export interface BastionOutput {
  /** Project, stack and cluster: what tells one tunnel from another. */
  identity: string;
  /** Its public address. */
  address: pulumi.Output<string>;
  /** A line as in an authorized_keys file. */
  hostKey: pulumi.Output<string>;
  user: pulumi.Output<string>;
  /** The port of the machine that uses the API. */
  localPort: number;
  /** The API behind it, inside the network. */
  endpoint: pulumi.Output<string>;
}
