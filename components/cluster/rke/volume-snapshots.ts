import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import { allows, assumableBy, partitionOf } from "../iam-policy";
import { SNAPSHOT_TAG } from "./state-volume";

/** When copies of the state volumes are made. */
export interface VolumeSnapshotArgs {
  /** Every how many hours: 1, 2, 3, 4, 6, 8, 12 or 24. @default 24 */
  everyHours?: number;
  /** When the first of the day is made, in UTC. @default "03:00" */
  at?: string;
  /** How many are kept of each volume. @default 7 */
  keep?: number;
}

/**
 * Copies of a cluster's state volumes on a schedule, by the Data Lifecycle Manager. They are the last resort, for a whole
 * cluster at once: of a single member that lost its volume, a copy is older than the others know it to be.
 */
export function volumeSnapshots(
  name: string,
  cluster: string,
  args: Required<VolumeSnapshotArgs>,
  tags: Readonly<Record<string, string>>,
  parent: pulumi.Resource,
): aws.dlm.LifecyclePolicy {
  const role = new aws.iam.Role(
    `${name}-snapshots`,
    { assumeRolePolicy: assumableBy("dlm.amazonaws.com"), tags: { ...tags } },
    { parent },
  );
  new aws.iam.RolePolicy(
    `${name}-snapshots`,
    {
      role: role.name,
      policy: partitionOf(parent).apply(({ partition }) =>
        allows([
          {
            actions: [
              "ec2:CreateSnapshot",
              "ec2:CreateSnapshots",
              "ec2:DeleteSnapshot",
              "ec2:DescribeInstances",
              "ec2:DescribeVolumes",
              "ec2:DescribeSnapshots",
            ],
            resources: ["*"],
          },
          { actions: ["ec2:CreateTags"], resources: [`arn:${partition}:ec2:*::snapshot/*`] },
        ]),
      ),
    },
    { parent },
  );
  return new aws.dlm.LifecyclePolicy(
    `${name}-snapshots`,
    {
      description: `State volumes of ${cluster}`,
      executionRoleArn: role.arn,
      state: "ENABLED",
      policyDetails: {
        resourceTypes: ["VOLUME"],
        targetTags: { [SNAPSHOT_TAG]: cluster },
        schedules: [
          {
            name: "state",
            createRule: { interval: args.everyHours, intervalUnit: "HOURS", times: args.at },
            retainRule: { count: args.keep },
            copyTags: true,
          },
        ],
      },
      tags: { ...tags },
    },
    { parent },
  );
}
