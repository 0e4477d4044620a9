import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { type Transform, transformed, withoutTransform } from "../../transform";

/** The arguments of `StateVolume`. */
export interface StateVolumeArgs {
  /** The cluster's name. */
  cluster: string;
  /** The member that it is the state of. @example "server-0" */
  member: string;
  /** The volume never leaves its zone, and neither does the member. */
  zone: pulumi.Input<string>;
  subnetId: pulumi.Input<string>;
  securityGroupIds: pulumi.Input<string>[];
  /** The member's address for good. @default AWS chooses one, which stays as long as the interface does */
  address?: string;
  /** In GiB. It can grow later, and not shrink. @default 20 */
  size?: pulumi.Input<number>;
  /** @default 3000 */
  iops?: pulumi.Input<number>;
  /** In MiB/s. @default 125 */
  throughput?: pulumi.Input<number>;
  /** @default the account's key for EBS */
  kmsKeyId?: pulumi.Input<string>;
  /** Begin with a copy. Only for a cluster that is rebuilt from copies as a whole. */
  snapshotId?: string;
  /** Whether the volume and the interface are protected, and stay when the program forgets them. @default true */
  retain?: boolean;
  /** Tags for everything. @default {} */
  tags?: Record<string, string>;
  /** Overrides for the children. @default none */
  transform?: StateVolumeTransforms;
}

/** Overrides for the children of `StateVolume`. */
export interface StateVolumeTransforms {
  volume?: Transform<aws.ebs.VolumeArgs>;
  networkInterface?: Transform<aws.ec2.NetworkInterfaceArgs>;
}

/** By this tag the snapshot schedule finds a cluster's volumes. */
export const SNAPSHOT_TAG = "fleetwright.dev/state-of";

/**
 * What makes a machine a certain member of a cluster: its data, on an encrypted volume, and its address, on a network
 * interface. Machines come and go; whichever has these two is the member.
 */
export class StateVolume extends pulumi.ComponentResource {
  readonly volumeId: pulumi.Output<string>;
  readonly networkInterfaceId: pulumi.Output<string>;
  readonly address: pulumi.Output<string>;
  readonly zone: pulumi.Output<string>;
  readonly size: pulumi.Output<number>;

  constructor(name: string, args: StateVolumeArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super("fleetwright:index:StateVolume", name, withoutTransform(args), opts);
    const retain = args.retain ?? true;
    const options = { parent: this, protect: retain, retainOnDelete: retain };
    const tags = { ...args.tags, Name: name, "fleetwright.dev/member": args.member };
    const volume = new aws.ebs.Volume(
      ...transformed<aws.ebs.VolumeArgs>(
        args.transform?.volume,
        `${name}-volume`,
        {
          availabilityZone: args.zone,
          encrypted: true,
          type: "gp3",
          size: args.size ?? 20,
          iops: args.iops ?? 3000,
          throughput: args.throughput ?? 125,
          // Where it goes away after all, a copy stays.
          finalSnapshot: retain,
          ...(args.kmsKeyId === undefined ? {} : { kmsKeyId: args.kmsKeyId }),
          ...(args.snapshotId === undefined ? {} : { snapshotId: args.snapshotId }),
          tags: { ...tags, [SNAPSHOT_TAG]: args.cluster },
        },
        // Any of these would make a new, empty volume in the place of this one.
        { ...options, ignoreChanges: ["availabilityZone", "encrypted", "kmsKeyId", "snapshotId"] },
      ),
    );
    const networkInterface = new aws.ec2.NetworkInterface(
      ...transformed<aws.ec2.NetworkInterfaceArgs>(
        args.transform?.networkInterface,
        `${name}-interface`,
        {
          subnetId: args.subnetId,
          securityGroups: args.securityGroupIds,
          description: `${args.member} of ${args.cluster}`,
          ...(args.address === undefined ? {} : { privateIps: [args.address] }),
          tags,
        },
        // An address can be on one interface only, so the old one has to go first.
        { ...options, deleteBeforeReplace: true },
      ),
    );
    this.volumeId = volume.id;
    this.networkInterfaceId = networkInterface.id;
    this.address = args.address === undefined ? networkInterface.privateIp : pulumi.output(args.address);
    this.zone = pulumi.output(args.zone);
    this.size = volume.size;
    this.registerOutputs({
      volumeId: this.volumeId,
      networkInterfaceId: this.networkInterfaceId,
      address: this.address,
      zone: this.zone,
      size: this.size,
    });
  }
}
