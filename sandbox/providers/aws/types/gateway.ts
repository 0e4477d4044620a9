import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import { declare, literal } from "../core/declaration";
import { isAbsent } from "../core/errors";
import { chosenOnce, replaces } from "../core/property";
import { fromTagList } from "../core/tags";
import { ec2Tagging, tagged } from "./ec2-tags";

/** The way from a VPC to the internet. */
export const internetGateway = declare<aws.ec2.InternetGatewayArgs, aws.ec2.InternetGatewayState>({
  token: "aws:ec2/internetGateway:InternetGateway",
  properties: { vpcId: { computed: true } },
  tagging: ec2Tagging,
  async create(context, inputs) {
    const ec2 = await context.aws.ec2();
    const { InternetGateway } = await ec2.createInternetGateway({
      TagSpecifications: tagged("internet-gateway", inputs.tags),
    });
    const id = context.started(given(InternetGateway?.InternetGatewayId, "the id of the internet gateway"));
    if (inputs.vpcId !== undefined)
      await ec2.attachInternetGateway({ InternetGatewayId: id, VpcId: inputs.vpcId });
    return id;
  },
  async read({ aws, region, partition }, id) {
    const { InternetGateways } = await (
      await aws.ec2()
    ).describeInternetGateways({ InternetGatewayIds: [id] });
    const found = InternetGateways?.[0];
    if (found === undefined) return undefined;
    return {
      arn: `arn:${partition}:ec2:${region}:${found.OwnerId ?? ""}:internet-gateway/${id}`,
      ownerId: found.OwnerId,
      tags: fromTagList(found.Tags),
      vpcId: found.Attachments?.[0]?.VpcId ?? "",
    };
  },
  async update({ aws }, id, news, { olds }) {
    const ec2 = await aws.ec2();
    if (olds.vpcId === news.vpcId) return;
    if (olds.vpcId) await ec2.detachInternetGateway({ InternetGatewayId: id, VpcId: olds.vpcId });
    if (news.vpcId) await ec2.attachInternetGateway({ InternetGatewayId: id, VpcId: news.vpcId });
  },
  async delete({ aws }, id, state) {
    const ec2 = await aws.ec2();
    if (state.vpcId) {
      await ec2
        .detachInternetGateway({ InternetGatewayId: id, VpcId: state.vpcId })
        .catch((error: unknown) => {
          if (!(error instanceof Object) || Reflect.get(error, "name") !== "Gateway.NotAttached") throw error;
        });
    }
    await ec2.deleteInternetGateway({ InternetGatewayId: id });
  },
});

/** The way out of a private subnet. */
export const natGateway = declare<aws.ec2.NatGatewayArgs, aws.ec2.NatGatewayState>({
  token: "aws:ec2/natGateway:NatGateway",
  properties: {
    allocationId: replaces,
    connectivityType: { replaces: true, fallback: "public", oneOf: ["public", "private"] },
    privateIp: chosenOnce,
    subnetId: { required: true, replaces: true },
  },
  tagging: ec2Tagging,
  check: ({ connectivityType, allocationId }) =>
    connectivityType === "public" && allocationId === undefined
      ? ["A public NAT gateway needs the allocationId of an elastic IP; it is missing"]
      : [],
  async create({ aws, token }, inputs) {
    const { NatGateway } = await (
      await aws.ec2()
    ).createNatGateway({
      AllocationId: inputs.allocationId,
      ClientToken: token,
      ConnectivityType: literal(inputs.connectivityType),
      PrivateIpAddress: inputs.privateIp,
      SubnetId: inputs.subnetId,
      TagSpecifications: tagged("natgateway", inputs.tags),
    });
    return given(NatGateway?.NatGatewayId, "the id of the NAT gateway");
  },
  settle: ({ aws, deadline }, id) =>
    deadline.until(`NAT gateway ${id} is available`, async () => {
      const { NatGateways } = await (await aws.ec2()).describeNatGateways({ NatGatewayIds: [id] });
      const found = NatGateways?.[0];
      if (found?.State === "failed")
        throw new Error(`NAT gateway ${id} failed: ${found.FailureMessage ?? "no reason given"}`);
      return found?.State === "available" || undefined;
    }),
  async read({ aws }, id) {
    const { NatGateways } = await (await aws.ec2()).describeNatGateways({ NatGatewayIds: [id] });
    const found = NatGateways?.[0];
    if (found === undefined || found.State === "deleted" || found.State === "deleting") return undefined;
    const address = found.NatGatewayAddresses?.[0];
    return {
      allocationId: address?.AllocationId ?? "",
      associationId: address?.AssociationId ?? "",
      connectivityType: found.ConnectivityType ?? "public",
      networkInterfaceId: address?.NetworkInterfaceId,
      privateIp: address?.PrivateIp,
      publicIp: address?.PublicIp ?? "",
      subnetId: found.SubnetId,
      tags: fromTagList(found.Tags),
      vpcId: found.VpcId,
    };
  },
  async delete({ aws, deadline }, id) {
    const ec2 = await aws.ec2();
    await ec2.deleteNatGateway({ NatGatewayId: id });
    await deadline.until(`NAT gateway ${id} is deleted`, async () => {
      const { NatGateways } = await ec2.describeNatGateways({ NatGatewayIds: [id] });
      return (NatGateways ?? []).every(({ State }) => State === "deleted") || undefined;
    });
  },
});

/** A public address. */
export const eip = declare<aws.ec2.EipArgs, aws.ec2.EipState>({
  token: "aws:ec2/eip:Eip",
  properties: {
    associateWithPrivateIp: { local: true },
    domain: { ...chosenOnce, oneOf: ["vpc", "standard"] },
    instance: { computed: true },
    networkInterface: { computed: true },
  },
  tagging: ec2Tagging,
  async create(context, inputs) {
    const ec2 = await context.aws.ec2();
    const { AllocationId } = await ec2.allocateAddress({
      Domain: literal(inputs.domain ?? "vpc"),
      TagSpecifications: tagged("elastic-ip", inputs.tags),
    });
    const id = context.started(given(AllocationId, "the id of the elastic IP"));
    if (inputs.instance !== undefined || inputs.networkInterface !== undefined) {
      await ec2.associateAddress({
        AllocationId: id,
        InstanceId: inputs.instance,
        NetworkInterfaceId: inputs.networkInterface,
        PrivateIpAddress: inputs.associateWithPrivateIp,
        AllowReassociation: true,
      });
    }
    return id;
  },
  async read({ aws, region, partition, account }, id) {
    const { Addresses } = await (await aws.ec2()).describeAddresses({ AllocationIds: [id] });
    const found = Addresses?.[0];
    if (found === undefined) return undefined;
    const dashed = found.PublicIp?.replaceAll(".", "-") ?? "";
    return {
      allocationId: id,
      arn: `arn:${partition}:ec2:${region}:${await account()}:elastic-ip/${id}`,
      associationId: found.AssociationId ?? "",
      domain: found.Domain,
      instance: found.InstanceId ?? "",
      networkBorderGroup: found.NetworkBorderGroup,
      networkInterface: found.NetworkInterfaceId ?? "",
      privateIp: found.PrivateIpAddress ?? "",
      publicDns: `ec2-${dashed}.${region === "us-east-1" ? "compute-1" : `${region}.compute`}.amazonaws.com`,
      publicIp: found.PublicIp,
      publicIpv4Pool: found.PublicIpv4Pool,
      tags: fromTagList(found.Tags),
    };
  },
  async update({ aws }, id, news, { olds }) {
    const ec2 = await aws.ec2();
    if (olds.associationId) await ec2.disassociateAddress({ AssociationId: olds.associationId });
    if (!news.instance && !news.networkInterface) return;
    await ec2.associateAddress({
      AllocationId: id,
      InstanceId: news.instance,
      NetworkInterfaceId: news.networkInterface,
      PrivateIpAddress: news.associateWithPrivateIp,
      AllowReassociation: true,
    });
  },
  async delete({ aws }, id, state) {
    const ec2 = await aws.ec2();
    if (state.associationId) {
      await ec2.disassociateAddress({ AssociationId: state.associationId }).catch((error: unknown) => {
        if (!isAbsent(error)) throw error;
      });
    }
    await ec2.releaseAddress({ AllocationId: id });
  },
});
