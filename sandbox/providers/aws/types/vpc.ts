import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import type { AwsContext } from "../core/context";
import { declare, literal } from "../core/declaration";
import { chosen, chosenOnce } from "../core/property";
import { fromTagList } from "../core/tags";
import { ec2Tagging, tagged } from "./ec2-tags";

/** A virtual private cloud. */
export const vpc = declare<aws.ec2.VpcArgs, aws.ec2.VpcState>({
  token: "aws:ec2/vpc:Vpc",
  properties: {
    assignGeneratedIpv6CidrBlock: { replaces: true },
    cidrBlock: chosenOnce,
    enableDnsHostnames: chosen,
    enableDnsSupport: { fallback: true },
    instanceTenancy: { fallback: "default", oneOf: ["default", "dedicated"] },
  },
  tagging: ec2Tagging,
  // AWS can make a dedicated one shared, but not the other way round.
  replacesFor: (_olds, news) => (news.instanceTenancy === "dedicated" ? ["instanceTenancy"] : []),
  async create(context, inputs) {
    const ec2 = await context.aws.ec2();
    const { Vpc } = await ec2.createVpc({
      CidrBlock: inputs.cidrBlock,
      InstanceTenancy: literal(inputs.instanceTenancy),
      AmazonProvidedIpv6CidrBlock: inputs.assignGeneratedIpv6CidrBlock,
      TagSpecifications: tagged("vpc", inputs.tags),
    });
    const id = context.started(given(Vpc?.VpcId, "the id of the VPC"));
    await setDns(context, id, inputs);
    return id;
  },
  settle: ({ aws, deadline }, id) =>
    deadline.until(`VPC ${id} is available`, async () => {
      const { Vpcs } = await (await aws.ec2()).describeVpcs({ VpcIds: [id] });
      return Vpcs?.[0]?.State === "available" || undefined;
    }),
  async read({ aws, region, partition }, id) {
    const ec2 = await aws.ec2();
    const { Vpcs } = await ec2.describeVpcs({ VpcIds: [id] });
    const found = Vpcs?.[0];
    if (found === undefined) return undefined;
    const ofVpc = { Name: "vpc-id", Values: [id] };
    const [support, hostnames, groups, tables, acls] = await Promise.all([
      ec2.describeVpcAttribute({ VpcId: id, Attribute: "enableDnsSupport" }),
      ec2.describeVpcAttribute({ VpcId: id, Attribute: "enableDnsHostnames" }),
      ec2.describeSecurityGroups({ Filters: [ofVpc, { Name: "group-name", Values: ["default"] }] }),
      ec2.describeRouteTables({ Filters: [ofVpc, { Name: "association.main", Values: ["true"] }] }),
      ec2.describeNetworkAcls({ Filters: [ofVpc, { Name: "default", Values: ["true"] }] }),
    ]);
    const ipv6 = found.Ipv6CidrBlockAssociationSet?.find(
      ({ Ipv6CidrBlockState }) => Ipv6CidrBlockState?.State === "associated",
    );
    const table = tables.RouteTables?.[0]?.RouteTableId;
    return {
      arn: `arn:${partition}:ec2:${region}:${found.OwnerId ?? ""}:vpc/${id}`,
      assignGeneratedIpv6CidrBlock: ipv6 !== undefined,
      cidrBlock: found.CidrBlock,
      defaultNetworkAclId: acls.NetworkAcls?.[0]?.NetworkAclId,
      defaultRouteTableId: table,
      defaultSecurityGroupId: groups.SecurityGroups?.[0]?.GroupId,
      dhcpOptionsId: found.DhcpOptionsId,
      enableDnsHostnames: hostnames.EnableDnsHostnames?.Value,
      enableDnsSupport: support.EnableDnsSupport?.Value,
      enableNetworkAddressUsageMetrics: false,
      instanceTenancy: found.InstanceTenancy,
      ipv6AssociationId: ipv6?.AssociationId ?? "",
      ipv6CidrBlock: ipv6?.Ipv6CidrBlock ?? "",
      mainRouteTableId: table,
      ownerId: found.OwnerId,
      tags: fromTagList(found.Tags),
    };
  },
  async update(context, id, news, change) {
    if (change.has("enableDnsHostnames", "enableDnsSupport")) await setDns(context, id, news);
    if (change.has("instanceTenancy") && news.instanceTenancy === "default") {
      await (await context.aws.ec2()).modifyVpcTenancy({ VpcId: id, InstanceTenancy: "default" });
    }
  },
  delete: async ({ aws }, id) => (await aws.ec2()).deleteVpc({ VpcId: id }),
});

/** AWS takes one of the two at a time, and host names only where names are resolved. */
async function setDns(
  { aws }: AwsContext,
  id: string,
  inputs: { enableDnsSupport?: boolean | undefined; enableDnsHostnames?: boolean | undefined },
): Promise<void> {
  const ec2 = await aws.ec2();
  const { enableDnsSupport, enableDnsHostnames } = inputs;
  if (enableDnsSupport !== undefined) {
    await ec2.modifyVpcAttribute({ VpcId: id, EnableDnsSupport: { Value: enableDnsSupport } });
  }
  if (enableDnsHostnames !== undefined) {
    await ec2.modifyVpcAttribute({ VpcId: id, EnableDnsHostnames: { Value: enableDnsHostnames } });
  }
}
