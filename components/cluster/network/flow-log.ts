import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import { allows, assumableBy } from "../iam-policy";
import { type Transform, transformed } from "../../transform";

/** Overrides for the children of a flow log. */
export interface FlowLogTransforms {
  flowLog?: Transform<aws.ec2.FlowLogArgs>;
  flowLogGroup?: Transform<aws.cloudwatch.LogGroupArgs>;
}

/** Writes down a network's connections in CloudWatch Logs. */
export function flowLogs(
  name: string,
  vpcId: pulumi.Input<string>,
  days: number,
  tags: Readonly<Record<string, string>>,
  transform: FlowLogTransforms,
  parent: pulumi.Resource,
): void {
  const group = new aws.cloudwatch.LogGroup(
    ...transformed<aws.cloudwatch.LogGroupArgs>(
      transform.flowLogGroup,
      `${name}-flow-log`,
      { retentionInDays: days, tags: { ...tags } },
      { parent },
    ),
  );
  const role = new aws.iam.Role(
    `${name}-flow-log`,
    { assumeRolePolicy: assumableBy("vpc-flow-logs.amazonaws.com"), tags: { ...tags } },
    { parent },
  );
  new aws.iam.RolePolicy(
    `${name}-flow-log`,
    {
      role: role.name,
      policy: group.arn.apply((arn) =>
        allows([
          {
            actions: ["logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"],
            resources: [`${arn}:*`],
          },
        ]),
      ),
    },
    { parent },
  );
  new aws.ec2.FlowLog(
    ...transformed<aws.ec2.FlowLogArgs>(
      transform.flowLog,
      `${name}-flow-log`,
      { vpcId, trafficType: "ALL", iamRoleArn: role.arn, logDestination: group.arn, tags: { ...tags } },
      { parent },
    ),
  );
}
