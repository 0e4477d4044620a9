import type * as aws from "@pulumi/aws";
import type { Transform } from "../../transform";

/** From where a cluster on machines of your own is built and used. */
export enum AccessMode {
  /** Through a small machine with a public address. */
  Bastion = "bastion",
  /** The private addresses are reached as they are: Pulumi runs inside the network, behind a VPN, or names a proxy. */
  Direct = "direct",
}

/** A small machine with a public address, through which nodes and the API are reached. */
export interface BastionArgs {
  /** Ranges that may log in to it, and nobody else. Never 0.0.0.0/0. @example ["203.0.113.7/32"] */
  from: string[];
  /** @default "t3.micro" */
  instanceType?: string;
  /** @default the newest Debian 12 when it is first made */
  imageId?: string;
  /** The port of this machine at which the API is reached while the tunnel is open. @default one made from the names of project, stack and cluster */
  localPort?: number;
}

/** Overrides for the children of a bastion. */
export interface BastionTransforms {
  instance?: Transform<aws.ec2.InstanceArgs>;
  address?: Transform<aws.ec2.EipArgs>;
  securityGroup?: Transform<aws.ec2.SecurityGroupArgs>;
}
