import type * as aws from "@pulumi/aws";
import type { Transform } from "../../transform";
import type { AccessMode, BastionArgs } from "../bastion/args";
import type { FlowLogTransforms } from "./flow-log";
import type { GatewayTransforms } from "./gateways";
import type { SubnetReference } from "./network-reference";

/** How private subnets reach the internet. */
export enum NatMode {
  /** One gateway for all zones: cheap, and gone with its zone. */
  Single = "single",
  /** One gateway in each zone. */
  PerZone = "per-zone",
  /** None: nodes reach what the endpoints and your own routes give them. */
  None = "none",
}

/** A network that exists already. */
export interface ExistingNetwork {
  vpcId: string;
  /** @example "10.20.0.0/16" */
  cidr: string;
  /** One for each zone. */
  privateSubnets: SubnetReference[];
  /** @default [] */
  publicSubnets?: SubnetReference[];
  /** @default the private ones */
  controlSubnets?: SubnetReference[];
}

/** The arguments of `Network`. */
export interface NetworkArgs {
  /** The range of addresses, from /16 to /20. @default "10.0.0.0/16" */
  cidr?: string;
  /** How many zones, from 1 to 3. @default 3, or as many as `zoneNames` has */
  zones?: number;
  /** Which zones. @default the first ones of the region that need no opt-in, and then those that were chosen @example ["eu-central-1a", "eu-central-1b"] */
  zoneNames?: string[];
  /** How private subnets reach the internet. @default NatMode.Single */
  nat?: NatMode;
  /** Whether Systems Manager and Auto Scaling, which nodes of RKE2's pools ask, are reached inside the network; S3 always is. Costs by hour and zone. @default true for `rke2`, else false */
  privateEndpoints?: boolean;
  /** Whether connections are written down in CloudWatch Logs. @default true */
  flowLogs?: boolean;
  /** How long those logs are kept. @default 30 */
  flowLogDays?: number;
  /** How a cluster on machines of your own is reached from where Pulumi runs: `bastion` or `direct`. @default "bastion" where `bastion` names who may log in, else "direct" */
  access?: AccessMode;
  /** The machine between, for such a cluster; needs public subnets. @default none */
  bastion?: BastionArgs;
  /** Use this network and make none; of the other arguments, only `access` and `bastion` are used then. */
  existing?: ExistingNetwork;
  /** Tags for everything. @default {} */
  tags?: Record<string, string>;
  /** Overrides for the children. @default none */
  transform?: NetworkTransforms;
}

/** Overrides for the children of `Network`. */
export interface NetworkTransforms extends GatewayTransforms, FlowLogTransforms {
  vpc?: Transform<aws.ec2.VpcArgs>;
  defaultSecurityGroup?: Transform<aws.ec2.DefaultSecurityGroupArgs>;
  subnet?: Transform<aws.ec2.SubnetArgs>;
}
