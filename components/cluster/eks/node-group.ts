import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { PoolSettings } from "../common-schema";
import type { HostedClusterSettings } from "./schema";
import { type Transform, transformed } from "../../transform";

/** Overrides for the node groups of a hosted cluster. */
export interface NodeGroupTransforms {
  launchTemplate?: Transform<aws.ec2.LaunchTemplateArgs>;
  nodeGroup?: Transform<aws.eks.NodeGroupArgs>;
}

/** EKS has names of its own for what taints do. */
const EFFECTS: Readonly<Record<string, string>> = {
  NoSchedule: "NO_SCHEDULE",
  PreferNoSchedule: "PREFER_NO_SCHEDULE",
  NoExecute: "NO_EXECUTE",
};

/** Makes a managed node group with a launch template of ours: encrypted root disk, IMDSv2 over one hop. */
export function managedNodeGroup(
  name: string,
  pool: PoolSettings,
  settings: {
    readonly args: HostedClusterSettings;
    readonly cluster: aws.eks.Cluster;
    readonly role: aws.iam.Role;
    readonly dependsOn: readonly pulumi.Resource[];
  },
  transform: NodeGroupTransforms,
  parent: pulumi.Resource,
): aws.eks.NodeGroup {
  const { args, cluster } = settings;
  const { count, min, max } = pool;
  const tags = {
    ...args.tags,
    Name: name,
    "fleetwright.dev/cluster": name,
    "fleetwright.dev/node-pool": pool.name,
  };
  const own = `${name}-${pool.name}`;
  const template = new aws.ec2.LaunchTemplate(
    ...transformed<aws.ec2.LaunchTemplateArgs>(
      transform.launchTemplate,
      `${own}-template`,
      {
        metadataOptions: {
          httpEndpoint: "enabled",
          httpTokens: "required",
          // One hop: pods take on roles of their own by pod identity, never the node's.
          httpPutResponseHopLimit: 1,
        },
        blockDeviceMappings: [
          {
            deviceName: "/dev/xvda",
            ebs: {
              encrypted: "true",
              volumeType: "gp3",
              volumeSize: pool.rootVolumeSize,
              deleteOnTermination: "true",
            },
          },
        ],
        tagSpecifications: [
          { resourceType: "instance", tags: { ...tags, Name: own } },
          { resourceType: "volume", tags: { ...tags, Name: own } },
        ],
        updateDefaultVersion: true,
        tags,
      },
      { parent },
    ),
  );
  const isScaled = min < max;
  return new aws.eks.NodeGroup(
    ...transformed<aws.eks.NodeGroupArgs>(
      transform.nodeGroup,
      own,
      {
        clusterName: cluster.name,
        nodeRoleArn: settings.role.arn,
        subnetIds: args.network.privateSubnets.map(({ id }) => id),
        version: args.nodeVersion,
        ...(args.nodeRelease === undefined ? {} : { releaseVersion: args.nodeRelease }),
        amiType: "AL2023_x86_64_STANDARD",
        instanceTypes: [pool.instanceType],
        capacityType: "ON_DEMAND",
        scalingConfig: {
          desiredSize: count,
          minSize: min,
          maxSize: Math.max(max, 1),
        },
        updateConfig: { maxUnavailable: 1 },
        launchTemplate: { id: template.id, version: pulumi.interpolate`${template.latestVersion}` },
        labels: {
          ...pool.labels,
          "fleetwright.dev/cluster": name,
          "fleetwright.dev/node-pool": pool.name,
        },
        taints: pool.taints.map(({ key, value, effect }) => ({
          key,
          effect: EFFECTS[effect] ?? effect,
          ...(value === "" ? {} : { value }),
        })),
        tags,
      },
      {
        parent,
        dependsOn: [...settings.dependsOn],
        // An autoscaler's number is not ours to take back.
        ignoreChanges: isScaled ? ["scalingConfig.desiredSize"] : [],
      },
    ),
  );
}
