import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { NodeImage } from "./image";
import { type Transform, transformed } from "./transform";

/** The arguments of `NodePool`. */
export interface NodePoolArgs {
  /** The cluster's name. */
  cluster: string;
  /** The pool's name in the cluster. */
  pool: string;
  subnetIds: pulumi.Input<string>[];
  securityGroupIds: pulumi.Input<string>[];
  image: NodeImage;
  /** @example "m7i.large" */
  instanceType: string;
  instanceProfile: pulumi.Input<string>;
  userData: pulumi.Input<string>;
  /** How many nodes. */
  count: number;
  /** The fewest an autoscaler may leave. @default count */
  min?: number;
  /** The most an autoscaler may make. @default count */
  max?: number;
  /** What nodes are made from; another one replaces them one after another. */
  generation: pulumi.Input<string>;
  /** In GiB. @default 40 */
  rootVolumeSize?: number;
  /** How long a new node has before the next one is replaced, in seconds. @default 180 */
  warmUp?: number;
  /** @default {} */
  tags?: Record<string, string>;
}

/** How the children of `NodePool` are made different. */
export interface NodePoolTransforms {
  launchTemplate?: Transform<aws.ec2.LaunchTemplateArgs>;
  autoScalingGroup?: Transform<aws.autoscaling.GroupArgs>;
}

/** The options of `NodePool`. */
export interface NodePoolOptions extends pulumi.ComponentResourceOptions {
  transform?: NodePoolTransforms;
}

/**
 * Nodes that are all alike: a launch template and an auto scaling group over the zones. A change of what they are made from
 * rolls: a new node comes first, then an old one goes.
 */
export class NodePool extends pulumi.ComponentResource {
  readonly groupName: pulumi.Output<string>;
  readonly count: pulumi.Output<number>;
  readonly launchTemplateVersion: pulumi.Output<number>;

  constructor(name: string, args: NodePoolArgs, opts: NodePoolOptions = {}) {
    super("fleetwright:index:NodePool", name, args, opts);
    const tags = {
      ...args.tags,
      Name: name,
      "fleetwright.dev/cluster": args.cluster,
      "fleetwright.dev/node-pool": args.pool,
    };
    const template = new aws.ec2.LaunchTemplate(
      ...transformed<aws.ec2.LaunchTemplateArgs>(
        opts.transform?.launchTemplate,
        `${name}-template`,
        {
          imageId: args.image.id,
          instanceType: args.instanceType,
          iamInstanceProfile: { name: args.instanceProfile },
          vpcSecurityGroupIds: args.securityGroupIds,
          metadataOptions: {
            httpEndpoint: "enabled",
            httpTokens: "required",
            // One hop: pods with a network of their own cannot take on the node's role, and so cannot read the join token.
            httpPutResponseHopLimit: 1,
            instanceMetadataTags: "disabled",
          },
          blockDeviceMappings: [
            {
              deviceName: args.image.rootDevice,
              ebs: {
                encrypted: "true",
                volumeType: "gp3",
                volumeSize: args.rootVolumeSize ?? 40,
                deleteOnTermination: "true",
              },
            },
          ],
          userData: pulumi.output(args.userData).apply((text) => Buffer.from(text).toString("base64")),
          tagSpecifications: [
            { resourceType: "instance", tags: { ...tags, "fleetwright.dev/generation": args.generation } },
            { resourceType: "volume", tags },
          ],
          updateDefaultVersion: true,
          tags,
        },
        {
          parent: this,
          ignoreChanges: args.image.isPinned ? [] : ["imageId", "blockDeviceMappings[0].deviceName"],
        },
      ),
    );
    const group = new aws.autoscaling.Group(
      ...transformed<aws.autoscaling.GroupArgs>(
        opts.transform?.autoScalingGroup,
        `${name}-group`,
        {
          vpcZoneIdentifiers: args.subnetIds,
          desiredCapacity: args.count,
          minSize: args.min ?? args.count,
          maxSize: args.max ?? args.count,
          launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
          healthCheckType: "EC2",
          healthCheckGracePeriod: 300,
          instanceRefresh: {
            strategy: "Rolling",
            preferences: {
              minHealthyPercentage: 100,
              maxHealthyPercentage: 110,
              instanceWarmup: String(args.warmUp ?? 180),
              skipMatching: true,
            },
          },
          tags: Object.entries(tags).map(([key, value]) => ({ key, value, propagateAtLaunch: false })),
        },
        { parent: this },
      ),
    );
    this.groupName = group.name;
    this.count = pulumi.output(args.count);
    this.launchTemplateVersion = template.latestVersion;
    this.registerOutputs({
      groupName: this.groupName,
      count: this.count,
      launchTemplateVersion: this.launchTemplateVersion,
    });
  }
}
