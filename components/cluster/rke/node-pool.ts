import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { NodeImage } from "./machine-image";
import type { Taint } from "./rke2/settings";
import { JOINED_HOOK } from "./scripts/join-agent";
import { DRAIN_SECONDS, LEFT_HOOK } from "./scripts/leave-cluster";
import { type Transform, transformed, withoutTransform } from "../../transform";

/** The arguments of `NodePool`. */
export interface NodePoolArgs {
  /** The cluster's name. */
  cluster: string;
  /** The pool's name in the cluster. */
  pool: string;
  /** The auto scaling group's name, which its nodes know: they tell it when they are Ready, and when they have left. */
  groupName: string;
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
  /** Labels and taints of the nodes, which an autoscaler has to know of a pool without any. @default {} */
  labels?: Readonly<Record<string, string>>;
  /** @default [] */
  taints?: readonly Taint[];
  /** What nodes are made from; another one replaces them one after another. */
  generation: pulumi.Input<string>;
  /** In GiB. @default 40 */
  rootVolumeSize?: number;
  /** How long a new node is Ready before an old one is replaced, in seconds. @default 0 */
  warmUp?: number;
  /** Tags for everything. @default {} */
  tags?: Record<string, string>;
  /** Overrides for the children. @default none */
  transform?: NodePoolTransforms;
}

/** Overrides for the children of `NodePool`. */
export interface NodePoolTransforms {
  launchTemplate?: Transform<aws.ec2.LaunchTemplateArgs>;
  autoScalingGroup?: Transform<aws.autoscaling.GroupArgs>;
}

/** How long a machine may take until it is a Ready node, in seconds; then it is given up and another one is made. */
const JOIN_SECONDS = 1200;

/**
 * Nodes that are all alike: a launch template and an auto scaling group over the zones. A new machine counts when its node is
 * Ready, and one that has to go ends when its node was drained and has left the cluster: the group waits for both. So
 * growing, shrinking and rolling go by the health of the cluster. A change of what nodes are made from rolls one by one: a
 * new node comes first, then an old one goes.
 */
export class NodePool extends pulumi.ComponentResource {
  readonly groupName: pulumi.Output<string>;
  readonly count: pulumi.Output<number>;
  readonly launchTemplateVersion: pulumi.Output<number>;

  constructor(name: string, args: NodePoolArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super("fleetwright:index:NodePool", name, withoutTransform(args), opts);
    const tags = {
      ...args.tags,
      Name: name,
      "fleetwright.dev/cluster": args.cluster,
      "fleetwright.dev/node-pool": args.pool,
    };
    const template = new aws.ec2.LaunchTemplate(
      ...transformed<aws.ec2.LaunchTemplateArgs>(
        args.transform?.launchTemplate,
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
    const count = { min: args.min ?? args.count, max: args.max ?? args.count };
    const group = new aws.autoscaling.Group(
      ...transformed<aws.autoscaling.GroupArgs>(
        args.transform?.autoScalingGroup,
        `${name}-group`,
        {
          name: args.groupName,
          vpcZoneIdentifiers: args.subnetIds,
          desiredCapacity: args.count,
          minSize: count.min,
          maxSize: count.max,
          initialLifecycleHooks: [
            {
              name: JOINED_HOOK,
              lifecycleTransition: "autoscaling:EC2_INSTANCE_LAUNCHING",
              heartbeatTimeout: JOIN_SECONDS,
              defaultResult: "ABANDON",
            },
            {
              name: LEFT_HOOK,
              lifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
              heartbeatTimeout: DRAIN_SECONDS + 120,
              defaultResult: "CONTINUE",
            },
          ],
          launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
          healthCheckType: "EC2",
          healthCheckGracePeriod: 300,
          instanceRefresh: {
            strategy: "Rolling",
            preferences: {
              minHealthyPercentage: 100,
              maxHealthyPercentage: 110,
              instanceWarmup: String(args.warmUp ?? 0),
              skipMatching: true,
            },
          },
          waitForCapacityTimeout: `${JOIN_SECONDS / 60}m`,
          tags: Object.entries({
            ...tags,
            ...(count.min < count.max ? autoscalerTags(args) : {}),
          }).map(([key, value]) => ({ key, value, propagateAtLaunch: false })),
        },
        {
          parent: this,
          // Two groups cannot have the name that the nodes know.
          deleteBeforeReplace: true,
          // Its nodes are drained first, which may take longer than the ten minutes that the provider waits by default.
          customTimeouts: { delete: "30m" },
          // An autoscaler's number is not ours to take back.
          ignoreChanges: count.min < count.max ? ["desiredCapacity"] : [],
        },
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

/** By these the cluster autoscaler finds its groups, and knows what nodes of an empty one would be like. */
function autoscalerTags({ cluster, pool, labels = {}, taints = [] }: NodePoolArgs): Record<string, string> {
  const prefix = "k8s.io/cluster-autoscaler";
  const all = { ...labels, "fleetwright.dev/cluster": cluster, "fleetwright.dev/node-pool": pool };
  return {
    [`${prefix}/enabled`]: "true",
    [`${prefix}/${cluster}`]: "owned",
    ...Object.fromEntries(
      Object.entries(all).map(([key, value]) => [`${prefix}/node-template/label/${key}`, value]),
    ),
    ...Object.fromEntries(
      taints.map(({ key, value = "", effect }) => [
        `${prefix}/node-template/taint/${key}`,
        `${value}:${effect}`,
      ]),
    ),
  };
}
