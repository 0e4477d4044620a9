import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import { declare, literal } from "../core/declaration";
import { isAbsent } from "../core/errors";
import { chosen, identifies, local, replaces } from "../core/property";
import { fromTagList } from "../core/tags";
import { ec2Tagging, tagged } from "./ec2-tags";

/** A VPC endpoint for an AWS service. */
export const vpcEndpoint = declare<aws.ec2.VpcEndpointArgs, aws.ec2.VpcEndpointState>({
  token: "aws:ec2/vpcEndpoint:VpcEndpoint",
  properties: {
    autoAccept: local,
    policy: { ...chosen, json: true },
    privateDnsEnabled: chosen,
    routeTableIds: { ...chosen, set: true },
    securityGroupIds: { ...chosen, set: true },
    serviceName: { ...replaces, required: true },
    subnetIds: { ...chosen, set: true },
    vpcEndpointType: {
      replaces: true,
      fallback: "Gateway",
      oneOf: ["Gateway", "Interface", "GatewayLoadBalancer"],
    },
    vpcId: identifies,
  },
  tagging: ec2Tagging,
  async create({ aws, token }, inputs) {
    const { VpcEndpoint } = await (
      await aws.ec2()
    ).createVpcEndpoint({
      ClientToken: token,
      PolicyDocument: inputs.policy,
      PrivateDnsEnabled: inputs.privateDnsEnabled,
      RouteTableIds: inputs.routeTableIds,
      SecurityGroupIds: inputs.securityGroupIds,
      ServiceName: inputs.serviceName,
      SubnetIds: inputs.subnetIds,
      TagSpecifications: tagged("vpc-endpoint", inputs.tags),
      VpcEndpointType: literal(inputs.vpcEndpointType),
      VpcId: inputs.vpcId,
    });
    return given(VpcEndpoint?.VpcEndpointId, "the id of the endpoint");
  },
  settle: ({ aws, deadline }, id) =>
    deadline.until(`endpoint ${id} is available`, async () => {
      const { VpcEndpoints } = await (await aws.ec2()).describeVpcEndpoints({ VpcEndpointIds: [id] });
      return VpcEndpoints?.[0]?.State?.toLowerCase() === "available" || undefined;
    }),
  async read({ aws, region, partition, account }, id) {
    const { VpcEndpoints } = await (await aws.ec2()).describeVpcEndpoints({ VpcEndpointIds: [id] });
    const found = VpcEndpoints?.[0];
    if (found === undefined || ["deleting", "deleted"].includes(found.State?.toLowerCase() ?? ""))
      return undefined;
    return {
      arn: `arn:${partition}:ec2:${region}:${found.OwnerId ?? (await account())}:vpc-endpoint/${id}`,
      dnsEntries: (found.DnsEntries ?? []).map(({ DnsName, HostedZoneId }) => ({
        dnsName: DnsName,
        hostedZoneId: HostedZoneId,
      })),
      networkInterfaceIds: found.NetworkInterfaceIds ?? [],
      ownerId: found.OwnerId,
      policy: found.PolicyDocument,
      privateDnsEnabled: found.PrivateDnsEnabled ?? false,
      requesterManaged: found.RequesterManaged ?? false,
      routeTableIds: found.RouteTableIds ?? [],
      securityGroupIds: (found.Groups ?? []).flatMap(({ GroupId }) =>
        GroupId === undefined ? [] : [GroupId],
      ),
      serviceName: found.ServiceName,
      state: found.State?.toLowerCase(),
      subnetIds: found.SubnetIds ?? [],
      tags: fromTagList(found.Tags),
      vpcEndpointType: found.VpcEndpointType,
      vpcId: found.VpcId,
    };
  },
  async update({ aws }, id, news, { olds }) {
    const difference = (one: string[] | undefined, other: string[] | undefined): string[] | undefined => {
      const list = (one ?? []).filter((item) => other?.includes(item) !== true);
      return list.length === 0 ? undefined : list;
    };
    const lists = {
      routeTableIds: news.routeTableIds ?? olds.routeTableIds,
      securityGroupIds: news.securityGroupIds ?? olds.securityGroupIds,
      subnetIds: news.subnetIds ?? olds.subnetIds,
    };
    await (
      await aws.ec2()
    ).modifyVpcEndpoint({
      AddRouteTableIds: difference(lists.routeTableIds, olds.routeTableIds),
      AddSecurityGroupIds: difference(lists.securityGroupIds, olds.securityGroupIds),
      AddSubnetIds: difference(lists.subnetIds, olds.subnetIds),
      PolicyDocument: news.policy,
      PrivateDnsEnabled: news.privateDnsEnabled,
      RemoveRouteTableIds: difference(olds.routeTableIds, lists.routeTableIds),
      RemoveSecurityGroupIds: difference(olds.securityGroupIds, lists.securityGroupIds),
      RemoveSubnetIds: difference(olds.subnetIds, lists.subnetIds),
      VpcEndpointId: id,
    });
  },
  async delete({ aws, deadline }, id) {
    const ec2 = await aws.ec2();
    await ec2.deleteVpcEndpoints({ VpcEndpointIds: [id] });
    await deadline.until(`endpoint ${id} is deleted`, async () => {
      const { VpcEndpoints } = await ec2
        .describeVpcEndpoints({ VpcEndpointIds: [id] })
        .catch((error: unknown) => {
          if (isAbsent(error)) return { VpcEndpoints: [] };
          throw error;
        });
      return (VpcEndpoints ?? []).every(({ State }) => State?.toLowerCase() === "deleted") || undefined;
    });
  },
});
