import type * as aws from "@pulumi/aws";
import { filled, given } from "../core/answer";
import type { AwsContext } from "../core/context";
import type { Plain, Tagging } from "../core/declaration";
import { declare, literal } from "../core/declaration";
import { chosen, chosenOnce, replaces } from "../core/property";
import { fromTagList, tagList } from "../core/tags";

/** Tags of everything in Elastic Load Balancing, by ARN. */
export const elbTagging: Tagging = {
  set: async ({ aws }, arn, _state, tags) =>
    (await aws.elb()).addTags({ ResourceArns: [arn], Tags: tagList(tags) }),
  remove: async ({ aws }, arn, _state, TagKeys) =>
    (await aws.elb()).removeTags({ ResourceArns: [arn], TagKeys: [...TagKeys] }),
};

/** The tags of something in Elastic Load Balancing. */
export async function elbTags({ aws }: AwsContext, arn: string): Promise<Record<string, string>> {
  const { TagDescriptions } = await (await aws.elb()).describeTags({ ResourceArns: [arn] });
  return fromTagList(TagDescriptions?.[0]?.Tags);
}

type Args = Plain<aws.lb.LoadBalancerArgs>;

/** A load balancer; its kind is `network` for everything that Fleetwright builds. */
export const loadBalancer = declare<aws.lb.LoadBalancerArgs, aws.lb.LoadBalancerState>({
  token: "aws:lb/loadBalancer:LoadBalancer",
  properties: {
    enableCrossZoneLoadBalancing: chosen,
    enableDeletionProtection: { fallback: false },
    idleTimeout: chosen,
    internal: chosenOnce,
    ipAddressType: chosen,
    loadBalancerType: {
      replaces: true,
      fallback: "application",
      oneOf: ["application", "network", "gateway"],
    },
    name: chosenOnce,
    namePrefix: { ...replaces, local: true },
    securityGroups: { ...chosen, set: true },
    subnetMappings: { ...chosen, set: true },
    subnets: { ...chosen, set: true },
  },
  name: { property: "name", maxLength: 32, prefixProperty: "namePrefix" },
  tagging: elbTagging,
  // A network load balancer keeps its zones, and has security groups from its first day or never.
  replacesFor: (olds, news) =>
    news.loadBalancerType === "network"
      ? [
          ...((olds.subnets ?? []).some((id) => news.subnets?.includes(id) === false)
            ? (["subnets"] as const)
            : []),
          ...(((olds.securityGroups ?? []).length === 0) !== ((news.securityGroups ?? []).length === 0)
            ? (["securityGroups"] as const)
            : []),
        ]
      : [],
  async create(context, inputs) {
    const elb = await context.aws.elb();
    const mappings = inputs.subnetMappings?.map(mapping);
    const { LoadBalancers } = await elb.createLoadBalancer({
      IpAddressType: literal(inputs.ipAddressType),
      Name: inputs.name ?? `${inputs.namePrefix ?? ""}${Date.now().toString(16)}`,
      Scheme: inputs.internal === true ? "internal" : "internet-facing",
      SecurityGroups: inputs.securityGroups,
      SubnetMappings: mappings,
      Subnets: mappings === undefined ? inputs.subnets : undefined,
      ...(tagList(inputs.tags).length === 0 ? {} : { Tags: tagList(inputs.tags) }),
      Type: literal(inputs.loadBalancerType),
    });
    const arn = context.started(given(LoadBalancers?.[0]?.LoadBalancerArn, "the ARN of the load balancer"));
    await setAttributes(context, arn, inputs);
    return arn;
  },
  settle: ({ aws, deadline }, arn) =>
    deadline.until(`load balancer ${arn} is active`, async () => {
      const { LoadBalancers } = await (await aws.elb()).describeLoadBalancers({ LoadBalancerArns: [arn] });
      const code = LoadBalancers?.[0]?.State?.Code;
      if (code === "failed")
        throw new Error(
          `Load balancer ${arn} failed: ${LoadBalancers?.[0]?.State?.Reason ?? "no reason given"}`,
        );
      return code === "active" || code === "active_impaired" || undefined;
    }),
  async read(context, arn) {
    const elb = await context.aws.elb();
    const { LoadBalancers } = await elb.describeLoadBalancers({ LoadBalancerArns: [arn] });
    const found = LoadBalancers?.[0];
    if (found === undefined) return undefined;
    const { Attributes } = await elb.describeLoadBalancerAttributes({ LoadBalancerArn: arn });
    const attribute = (key: string): string | undefined => Attributes?.find(({ Key }) => Key === key)?.Value;
    const zones = found.AvailabilityZones ?? [];
    return {
      arn,
      arnSuffix: arn.slice(arn.indexOf(":loadbalancer/") + ":loadbalancer/".length),
      dnsName: found.DNSName,
      enableCrossZoneLoadBalancing: attribute("load_balancing.cross_zone.enabled") === "true",
      enableDeletionProtection: attribute("deletion_protection.enabled") === "true",
      ...(found.Type === "application"
        ? { idleTimeout: Number(attribute("idle_timeout.timeout_seconds") ?? 60) }
        : {}),
      internal: found.Scheme === "internal",
      ipAddressType: found.IpAddressType,
      loadBalancerType: found.Type,
      name: found.LoadBalancerName,
      securityGroups: found.SecurityGroups ?? [],
      subnetMappings: zones.flatMap(({ SubnetId, LoadBalancerAddresses }) =>
        SubnetId === undefined
          ? []
          : [
              {
                allocationId: LoadBalancerAddresses?.[0]?.AllocationId ?? "",
                privateIpv4Address: LoadBalancerAddresses?.[0]?.PrivateIPv4Address ?? "",
                subnetId: SubnetId,
              },
            ],
      ),
      subnets: zones.flatMap(({ SubnetId }) => (SubnetId === undefined ? [] : [SubnetId])),
      tags: await elbTags(context, arn),
      vpcId: found.VpcId,
      zoneId: found.CanonicalHostedZoneId,
    };
  },
  async update(context, arn, news, { has }) {
    const elb = await context.aws.elb();
    if (has("enableCrossZoneLoadBalancing", "enableDeletionProtection", "idleTimeout"))
      await setAttributes(context, arn, news);
    if (has("securityGroups") && news.securityGroups !== undefined) {
      await elb.setSecurityGroups({ LoadBalancerArn: arn, SecurityGroups: news.securityGroups });
    }
    if (has("subnets", "subnetMappings") && (news.subnets ?? news.subnetMappings) !== undefined) {
      const SubnetMappings = news.subnetMappings?.map(mapping);
      await elb.setSubnets({
        LoadBalancerArn: arn,
        ...(SubnetMappings === undefined ? { Subnets: news.subnets } : { SubnetMappings }),
      });
    }
    if (has("ipAddressType") && news.ipAddressType !== undefined) {
      await elb.setIpAddressType({ LoadBalancerArn: arn, IpAddressType: literal(news.ipAddressType) });
    }
  },
  delete: async ({ aws }, arn) => (await aws.elb()).deleteLoadBalancer({ LoadBalancerArn: arn }),
});

function mapping(one: NonNullable<Args["subnetMappings"]>[number]) {
  return {
    SubnetId: one.subnetId,
    AllocationId: filled(one.allocationId),
    PrivateIPv4Address: filled(one.privateIpv4Address),
  };
}

async function setAttributes({ aws }: AwsContext, arn: string, inputs: Args): Promise<void> {
  const attributes = [
    { Key: "deletion_protection.enabled", Value: inputs.enableDeletionProtection },
    ...(inputs.loadBalancerType === "application"
      ? []
      : [{ Key: "load_balancing.cross_zone.enabled", Value: inputs.enableCrossZoneLoadBalancing }]),
    ...(inputs.loadBalancerType === "application"
      ? [{ Key: "idle_timeout.timeout_seconds", Value: inputs.idleTimeout }]
      : []),
  ].filter(({ Value }) => Value !== undefined);
  if (attributes.length === 0) return;
  const Attributes = attributes.map(({ Key, Value }) => ({ Key, Value: String(Value) }));
  await (await aws.elb()).modifyLoadBalancerAttributes({ LoadBalancerArn: arn, Attributes });
}
