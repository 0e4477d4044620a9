import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import { declare } from "../core/declaration";
import { chosenOnce, identifies } from "../core/property";
import { fromTagList } from "../core/tags";
import { ec2Tagging, tagged } from "./ec2-tags";

/** A subnet of a VPC. */
export const subnet = declare<aws.ec2.SubnetArgs, aws.ec2.SubnetState>({
  token: "aws:ec2/subnet:Subnet",
  properties: {
    availabilityZone: chosenOnce,
    availabilityZoneId: chosenOnce,
    cidrBlock: chosenOnce,
    mapPublicIpOnLaunch: { fallback: false },
    vpcId: identifies,
  },
  tagging: ec2Tagging,
  async create(context, inputs) {
    const ec2 = await context.aws.ec2();
    const { Subnet } = await ec2.createSubnet({
      VpcId: inputs.vpcId,
      CidrBlock: inputs.cidrBlock,
      AvailabilityZone: inputs.availabilityZone,
      AvailabilityZoneId: inputs.availabilityZoneId,
      TagSpecifications: tagged("subnet", inputs.tags),
    });
    const id = context.started(given(Subnet?.SubnetId, "the id of the subnet"));
    if (inputs.mapPublicIpOnLaunch === true) {
      await ec2.modifySubnetAttribute({ SubnetId: id, MapPublicIpOnLaunch: { Value: true } });
    }
    return id;
  },
  settle: ({ aws, deadline }, id) =>
    deadline.until(`subnet ${id} is available`, async () => {
      const { Subnets } = await (await aws.ec2()).describeSubnets({ SubnetIds: [id] });
      return Subnets?.[0]?.State === "available" || undefined;
    }),
  async read({ aws }, id) {
    const { Subnets } = await (await aws.ec2()).describeSubnets({ SubnetIds: [id] });
    const found = Subnets?.[0];
    if (found === undefined) return undefined;
    return {
      arn: found.SubnetArn,
      assignIpv6AddressOnCreation: found.AssignIpv6AddressOnCreation ?? false,
      availabilityZone: found.AvailabilityZone,
      availabilityZoneId: found.AvailabilityZoneId,
      cidrBlock: found.CidrBlock,
      enableDns64: found.EnableDns64 ?? false,
      ipv6CidrBlock: "",
      ipv6Native: found.Ipv6Native ?? false,
      mapPublicIpOnLaunch: found.MapPublicIpOnLaunch ?? false,
      ownerId: found.OwnerId,
      privateDnsHostnameTypeOnLaunch: found.PrivateDnsNameOptionsOnLaunch?.HostnameType,
      tags: fromTagList(found.Tags),
      vpcId: found.VpcId,
    };
  },
  async update({ aws }, id, news, change) {
    if (!change.has("mapPublicIpOnLaunch")) return;
    const MapPublicIpOnLaunch = { Value: news.mapPublicIpOnLaunch };
    await (await aws.ec2()).modifySubnetAttribute({ SubnetId: id, MapPublicIpOnLaunch });
  },
  delete: async ({ aws }, id) => (await aws.ec2()).deleteSubnet({ SubnetId: id }),
});
