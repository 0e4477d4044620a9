import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import { declare } from "../core/declaration";
import { chosen, chosenOnce, identifies, updates } from "../core/property";
import { fromTagList } from "../core/tags";
import { ec2Tagging, tagged } from "./ec2-tags";

/** A network interface, which can outlive the instance that it is on. */
export const networkInterface = declare<aws.ec2.NetworkInterfaceArgs, aws.ec2.NetworkInterfaceState>({
  token: "aws:ec2/networkInterface:NetworkInterface",
  properties: {
    description: updates,
    privateIp: chosenOnce,
    privateIps: { ...chosen, set: true },
    privateIpsCount: chosen,
    securityGroups: { ...chosen, set: true },
    sourceDestCheck: { fallback: true },
    subnetId: identifies,
  },
  tagging: ec2Tagging,
  // The primary address of an interface stays; others come and go.
  replacesFor: (olds, news) =>
    news.privateIps?.includes(olds.privateIp ?? "") === false ? ["privateIps"] : [],
  async create(context, inputs) {
    const ec2 = await context.aws.ec2();
    const addresses = inputs.privateIps ?? (inputs.privateIp === undefined ? [] : [inputs.privateIp]);
    const { NetworkInterface } = await ec2.createNetworkInterface({
      ClientToken: context.token,
      Description: inputs.description,
      Groups: inputs.securityGroups,
      ...(addresses.length === 0
        ? {}
        : {
            PrivateIpAddresses: addresses.map((PrivateIpAddress, index) => ({
              PrivateIpAddress,
              Primary: index === 0,
            })),
          }),
      SecondaryPrivateIpAddressCount: addresses.length === 0 ? inputs.privateIpsCount : undefined,
      SubnetId: inputs.subnetId,
      TagSpecifications: tagged("network-interface", inputs.tags),
    });
    const id = context.started(
      given(NetworkInterface?.NetworkInterfaceId, "the id of the network interface"),
    );
    if (inputs.sourceDestCheck === false) {
      await ec2.modifyNetworkInterfaceAttribute({
        NetworkInterfaceId: id,
        SourceDestCheck: { Value: false },
      });
    }
    return id;
  },
  async read({ aws, region, partition }, id) {
    const { NetworkInterfaces } = await (
      await aws.ec2()
    ).describeNetworkInterfaces({ NetworkInterfaceIds: [id] });
    const found = NetworkInterfaces?.[0];
    if (found === undefined) return undefined;
    const addresses = (found.PrivateIpAddresses ?? []).flatMap(({ PrivateIpAddress }) =>
      PrivateIpAddress === undefined ? [] : [PrivateIpAddress],
    );
    const attachment = found.Attachment;
    return {
      arn: `arn:${partition}:ec2:${region}:${found.OwnerId ?? ""}:network-interface/${id}`,
      ...(attachment?.InstanceId === undefined
        ? {}
        : {
            attachments: [
              {
                attachmentId: attachment.AttachmentId ?? "",
                deviceIndex: attachment.DeviceIndex ?? 0,
                instance: attachment.InstanceId,
                networkCardIndex: attachment.NetworkCardIndex ?? 0,
              },
            ],
          }),
      description: found.Description,
      interfaceType: found.InterfaceType,
      macAddress: found.MacAddress,
      ownerId: found.OwnerId,
      privateDnsName: found.PrivateDnsName,
      privateIp: found.PrivateIpAddress,
      privateIps: addresses,
      privateIpsCount: Math.max(0, addresses.length - 1),
      securityGroups: (found.Groups ?? []).flatMap(({ GroupId }) => (GroupId === undefined ? [] : [GroupId])),
      sourceDestCheck: found.SourceDestCheck,
      subnetId: found.SubnetId,
      tags: fromTagList(found.TagSet),
    };
  },
  async update({ aws }, id, news, { olds, has }) {
    const ec2 = await aws.ec2();
    const NetworkInterfaceId = id;
    if (has("privateIps") && news.privateIps !== undefined) {
      const extra = (olds.privateIps ?? []).filter((ip) => !news.privateIps?.includes(ip));
      const missing = news.privateIps.filter((ip) => olds.privateIps?.includes(ip) !== true);
      if (extra.length > 0)
        await ec2.unassignPrivateIpAddresses({ NetworkInterfaceId, PrivateIpAddresses: extra });
      if (missing.length > 0)
        await ec2.assignPrivateIpAddresses({ NetworkInterfaceId, PrivateIpAddresses: missing });
    }
    if (has("description"))
      await ec2.modifyNetworkInterfaceAttribute({
        NetworkInterfaceId,
        Description: { Value: news.description ?? "" },
      });
    if (has("sourceDestCheck")) {
      await ec2.modifyNetworkInterfaceAttribute({
        NetworkInterfaceId,
        SourceDestCheck: { Value: news.sourceDestCheck },
      });
    }
    if (has("securityGroups") && news.securityGroups !== undefined) {
      await ec2.modifyNetworkInterfaceAttribute({ NetworkInterfaceId, Groups: news.securityGroups });
    }
  },
  async delete({ aws, deadline }, id) {
    const ec2 = await aws.ec2();
    const { NetworkInterfaces } = await ec2.describeNetworkInterfaces({ NetworkInterfaceIds: [id] });
    const attachment = NetworkInterfaces?.[0]?.Attachment;
    // The first interface of an instance goes free with the instance itself.
    if (attachment?.AttachmentId !== undefined && attachment.DeviceIndex !== 0) {
      await ec2.detachNetworkInterface({ AttachmentId: attachment.AttachmentId });
      await deadline.until(`network interface ${id} is free`, async () => {
        const { NetworkInterfaces: now } = await ec2.describeNetworkInterfaces({ NetworkInterfaceIds: [id] });
        return now?.[0]?.Status !== "in-use" || undefined;
      });
    }
    await ec2.deleteNetworkInterface({ NetworkInterfaceId: id });
  },
});

/** That an interface is on an instance, beside its first one. */
export const networkInterfaceAttachment = declare<
  aws.ec2.NetworkInterfaceAttachmentArgs,
  aws.ec2.NetworkInterfaceAttachmentState
>({
  token: "aws:ec2/networkInterfaceAttachment:NetworkInterfaceAttachment",
  properties: { deviceIndex: identifies, instanceId: identifies, networkInterfaceId: identifies },
  deleteBeforeReplace: true,
  async create({ aws }, inputs) {
    const { AttachmentId } = await (
      await aws.ec2()
    ).attachNetworkInterface({
      DeviceIndex: inputs.deviceIndex,
      InstanceId: inputs.instanceId,
      NetworkInterfaceId: inputs.networkInterfaceId,
    });
    return given(AttachmentId, "the id of the attachment");
  },
  async read({ aws }, id) {
    const { NetworkInterfaces } = await (
      await aws.ec2()
    ).describeNetworkInterfaces({
      Filters: [{ Name: "attachment.attachment-id", Values: [id] }],
    });
    const found = NetworkInterfaces?.find(({ Attachment }) => Attachment?.AttachmentId === id);
    if (found === undefined) return undefined;
    return {
      attachmentId: id,
      deviceIndex: found.Attachment?.DeviceIndex,
      instanceId: found.Attachment?.InstanceId,
      networkCardIndex: found.Attachment?.NetworkCardIndex ?? 0,
      networkInterfaceId: found.NetworkInterfaceId,
      status: found.Attachment?.Status,
    };
  },
  async delete({ aws, deadline }, id, state) {
    const ec2 = await aws.ec2();
    await ec2.detachNetworkInterface({ AttachmentId: id });
    await deadline.until(`network interface ${state.networkInterfaceId ?? ""} is free`, async () => {
      const { NetworkInterfaces } = await ec2.describeNetworkInterfaces({
        NetworkInterfaceIds: [state.networkInterfaceId ?? ""],
      });
      return NetworkInterfaces?.[0]?.Status !== "in-use" || undefined;
    });
  },
});
