import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import { declare, literal } from "../core/declaration";
import { chosenOnce, replaces } from "../core/property";
import { fromTagList } from "../core/tags";
import { ec2Tagging, tagged } from "./ec2-tags";

/** A log of the traffic in a VPC, a subnet or on an interface. Nothing of it can be changed later. */
export const flowLog = declare<aws.ec2.FlowLogArgs, aws.ec2.FlowLogState>({
  token: "aws:ec2/flowLog:FlowLog",
  properties: {
    eniId: replaces,
    iamRoleArn: replaces,
    logDestination: chosenOnce,
    logDestinationType: {
      replaces: true,
      fallback: "cloud-watch-logs",
      oneOf: ["cloud-watch-logs", "s3", "kinesis-data-firehose"],
    },
    logFormat: chosenOnce,
    maxAggregationInterval: { replaces: true, fallback: 600 },
    subnetId: replaces,
    trafficType: { replaces: true, oneOf: ["ACCEPT", "REJECT", "ALL"] },
    vpcId: replaces,
  },
  tagging: ec2Tagging,
  async create({ aws, token }, inputs) {
    const targets = { VPC: inputs.vpcId, Subnet: inputs.subnetId, NetworkInterface: inputs.eniId };
    const [type, target] = Object.entries(targets).find(([, id]) => id !== undefined) ?? ["VPC", ""];
    const { FlowLogIds, Unsuccessful } = await (
      await aws.ec2()
    ).createFlowLogs({
      ClientToken: token,
      DeliverLogsPermissionArn: inputs.iamRoleArn,
      LogDestination: inputs.logDestination,
      LogDestinationType: literal(inputs.logDestinationType),
      LogFormat: inputs.logFormat,
      MaxAggregationInterval: inputs.maxAggregationInterval,
      ResourceIds: [given(target, "a target")],
      ResourceType: literal(type),
      TagSpecifications: tagged("vpc-flow-log", inputs.tags),
      TrafficType: literal(inputs.trafficType),
    });
    const failed = Unsuccessful?.[0]?.Error;
    if (failed !== undefined)
      throw new Error(`${failed.Code ?? "Unsuccessful"}: ${failed.Message ?? "AWS gives no reason"}`);
    return given(FlowLogIds?.[0], "the id of the flow log");
  },
  async read({ aws, region, partition, account }, id) {
    const { FlowLogs } = await (await aws.ec2()).describeFlowLogs({ FlowLogIds: [id] });
    const found = FlowLogs?.[0];
    if (found === undefined) return undefined;
    const target = found.ResourceId ?? "";
    return {
      arn: `arn:${partition}:ec2:${region}:${await account()}:vpc-flow-log/${id}`,
      eniId: target.startsWith("eni-") ? target : undefined,
      iamRoleArn: found.DeliverLogsPermissionArn ?? "",
      logDestination:
        found.LogDestination ??
        `arn:${partition}:logs:${region}:${await account()}:log-group:${found.LogGroupName ?? ""}`,
      logDestinationType: found.LogDestinationType,
      logFormat: found.LogFormat,
      maxAggregationInterval: found.MaxAggregationInterval,
      subnetId: target.startsWith("subnet-") ? target : undefined,
      tags: fromTagList(found.Tags),
      trafficType: found.TrafficType,
      vpcId: target.startsWith("vpc-") ? target : undefined,
    };
  },
  delete: async ({ aws }, id) => (await aws.ec2()).deleteFlowLogs({ FlowLogIds: [id] }),
});
