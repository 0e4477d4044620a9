import type * as aws from "@pulumi/aws";
import { lookup } from "../core/declaration";

/** The zones of the region. */
export const getAvailabilityZones = lookup<aws.GetAvailabilityZonesArgs, aws.GetAvailabilityZonesResult>({
  token: "aws:index/getAvailabilityZones:getAvailabilityZones",
  args: ["allAvailabilityZones", "excludeNames", "excludeZoneIds", "filters", "state"],
  async invoke({ aws, region }, args) {
    const filters = [...(args.filters ?? []).map(({ name, values }) => ({ Name: name, Values: values }))];
    if (args.state !== undefined) filters.push({ Name: "state", Values: [args.state] });
    const { AvailabilityZones } = await (
      await aws.ec2()
    ).describeAvailabilityZones({
      AllAvailabilityZones: args.allAvailabilityZones,
      ...(filters.length === 0 ? {} : { Filters: filters }),
    });
    const zones = (AvailabilityZones ?? [])
      .filter(({ ZoneName }) => args.excludeNames?.includes(ZoneName ?? "") !== true)
      .filter(({ ZoneId }) => args.excludeZoneIds?.includes(ZoneId ?? "") !== true)
      .sort((one, other) => ((one.ZoneName ?? "") < (other.ZoneName ?? "") ? -1 : 1));
    return {
      ...args,
      groupNames: [...new Set(zones.map(({ GroupName }) => GroupName ?? region))],
      id: region,
      names: zones.map(({ ZoneName }) => ZoneName ?? ""),
      region,
      zoneIds: zones.map(({ ZoneId }) => ZoneId ?? ""),
    };
  },
});

/** Who is asking. */
export const getCallerIdentity = lookup<aws.GetCallerIdentityArgs, aws.GetCallerIdentityResult>({
  token: "aws:index/getCallerIdentity:getCallerIdentity",
  args: ["id"],
  async invoke({ aws }) {
    const found = await (await aws.sts()).getCallerIdentity({});
    const accountId = found.Account ?? "";
    return { accountId, arn: found.Arn ?? "", id: accountId, userId: found.UserId ?? "" };
  },
});

/** The region in use. */
export const getRegion = lookup<aws.GetRegionArgs, aws.GetRegionResult>({
  token: "aws:index/getRegion:getRegion",
  args: [],
  async invoke({ region: name }) {
    return {
      description: REGIONS[name] ?? name,
      endpoint: `ec2.${name}.amazonaws.com`,
      id: name,
      name,
      region: name,
    };
  },
});

const REGIONS: Readonly<Record<string, string>> = {
  "cn-north-1": "China (Beijing)",
  "cn-northwest-1": "China (Ningxia)",
  "eu-central-1": "Europe (Frankfurt)",
  "eu-north-1": "Europe (Stockholm)",
  "eu-west-1": "Europe (Ireland)",
  "eu-west-2": "Europe (London)",
  "eu-west-3": "Europe (Paris)",
  "us-east-1": "US East (N. Virginia)",
  "us-east-2": "US East (Ohio)",
  "us-gov-east-1": "AWS GovCloud (US-East)",
  "us-gov-west-1": "AWS GovCloud (US-West)",
  "us-west-1": "US West (N. California)",
  "us-west-2": "US West (Oregon)",
};

const PARTITIONS: Readonly<Record<string, { dnsSuffix: string; reverseDnsPrefix: string }>> = {
  aws: { dnsSuffix: "amazonaws.com", reverseDnsPrefix: "com.amazonaws" },
  "aws-cn": { dnsSuffix: "amazonaws.com.cn", reverseDnsPrefix: "cn.com.amazonaws" },
  "aws-us-gov": { dnsSuffix: "amazonaws.com", reverseDnsPrefix: "com.amazonaws" },
};

/** The partition that the region belongs to. */
export const getPartition = lookup<aws.GetPartitionArgs, aws.GetPartitionResult>({
  token: "aws:index/getPartition:getPartition",
  args: ["id"],
  async invoke({ partition }) {
    const { dnsSuffix = "", reverseDnsPrefix = "" } = PARTITIONS[partition] ?? {};
    return { dnsSuffix, id: partition, partition, reverseDnsPrefix };
  },
});
