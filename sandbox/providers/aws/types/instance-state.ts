import type { Instance as Found } from "@aws-sdk/client-ec2";
import type * as aws from "@pulumi/aws";
import type { AwsContext } from "../core/context";
import type { Plain } from "../core/declaration";
import { fromTagList } from "../core/tags";
import { diskState, readDisks } from "./instance-disk";

/** The state of an instance out of what AWS tells of it in several answers. */
export async function instanceState(
  context: AwsContext,
  id: string,
  found: Found,
  known: Plain<aws.ec2.InstanceState>,
) {
  const ec2 = await context.aws.ec2();
  const attribute = async (
    Attribute: "userData" | "disableApiTermination" | "instanceInitiatedShutdownBehavior",
  ) => ec2.describeInstanceAttribute({ InstanceId: id, Attribute });
  const [user, termination, shutdown, disks] = await Promise.all([
    attribute("userData"),
    attribute("disableApiTermination"),
    attribute("instanceInitiatedShutdownBehavior"),
    readDisks(ec2, found),
  ]);
  const data = user.UserData?.Value;
  const first = found.NetworkInterfaces?.find(({ Attachment }) => Attachment?.DeviceIndex === 0);
  const others = (first?.PrivateIpAddresses ?? []).flatMap((address) =>
    address.Primary === true || !address.PrivateIpAddress ? [] : [address.PrivateIpAddress],
  );
  const options = found.MetadataOptions;
  return {
    ami: found.ImageId,
    arn: `arn:${context.partition}:ec2:${context.region}:${await context.account()}:instance/${id}`,
    associatePublicIpAddress: known.associatePublicIpAddress ?? (found.PublicIpAddress ?? "") !== "",
    availabilityZone: found.Placement?.AvailabilityZone,
    disableApiTermination: termination.DisableApiTermination?.Value ?? false,
    ...diskState(found, disks),
    ebsOptimized: found.EbsOptimized ?? false,
    iamInstanceProfile: found.IamInstanceProfile?.Arn?.split("/").at(-1) ?? "",
    instanceInitiatedShutdownBehavior: shutdown.InstanceInitiatedShutdownBehavior?.Value ?? "stop",
    instanceState: found.State?.Name,
    instanceType: found.InstanceType,
    keyName: found.KeyName ?? "",
    ...(options === undefined
      ? {}
      : {
          metadataOptions: {
            httpEndpoint: options.HttpEndpoint,
            httpProtocolIpv6: options.HttpProtocolIpv6,
            httpPutResponseHopLimit: options.HttpPutResponseHopLimit,
            httpTokens: options.HttpTokens,
            instanceMetadataTags: options.InstanceMetadataTags,
          },
        }),
    monitoring: ["enabled", "pending"].includes(found.Monitoring?.State ?? ""),
    placementGroup: found.Placement?.GroupName ?? "",
    primaryNetworkInterface:
      first?.NetworkInterfaceId === undefined
        ? undefined
        : {
            deleteOnTermination: first.Attachment?.DeleteOnTermination,
            networkInterfaceId: first.NetworkInterfaceId,
          },
    primaryNetworkInterfaceId: first?.NetworkInterfaceId ?? "",
    privateDns: found.PrivateDnsName,
    privateIp: found.PrivateIpAddress,
    publicDns: found.PublicDnsName ?? "",
    publicIp: found.PublicIpAddress ?? "",
    secondaryPrivateIps: others,
    sourceDestCheck: found.SourceDestCheck ?? true,
    subnetId: found.SubnetId,
    tags: fromTagList(found.Tags),
    tenancy: found.Placement?.Tenancy ?? "default",
    ...userData(data, known),
    vpcSecurityGroupIds: (found.SecurityGroups ?? []).flatMap(({ GroupId }) =>
      GroupId === undefined ? [] : [GroupId],
    ),
  };
}

/** User data in the form in which the program gave it. */
function userData(encoded: string | undefined, known: { userDataBase64?: string | undefined }) {
  if (encoded === undefined || encoded === "") return {};
  return known.userDataBase64 === undefined
    ? { userData: Buffer.from(encoded, "base64").toString("utf8") }
    : { userDataBase64: encoded };
}
