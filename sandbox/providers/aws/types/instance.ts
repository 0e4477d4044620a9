import type { Instance as Found, EC2 } from "@aws-sdk/client-ec2";
import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import type { AwsContext } from "../core/context";
import type { Plain } from "../core/declaration";
import { declare, literal } from "../core/declaration";
import { awsCode, isAbsent } from "../core/errors";
import { chosen, chosenOnce, local, replaces, updates } from "../core/property";
import { blockDevice, updateRootDisk } from "./instance-disk";
import { instanceState } from "./instance-state";
import { ec2Tagging, tagged } from "./ec2-tags";

type Args = Plain<aws.ec2.InstanceArgs>;

/** A virtual machine. */
export const instance = declare<aws.ec2.InstanceArgs, aws.ec2.InstanceState>({
  token: "aws:ec2/instance:Instance",
  properties: {
    ami: chosenOnce,
    associatePublicIpAddress: chosenOnce,
    availabilityZone: chosenOnce,
    disableApiTermination: chosen,
    ebsBlockDevices: { ...chosenOnce, set: true },
    ebsOptimized: chosenOnce,
    forceDestroy: { ...local, fallback: false },
    getPasswordData: { ...local, fallback: false },
    iamInstanceProfile: chosen,
    instanceInitiatedShutdownBehavior: chosen,
    instanceType: chosen,
    keyName: chosenOnce,
    metadataOptions: chosen,
    monitoring: chosen,
    placementGroup: chosenOnce,
    primaryNetworkInterface: chosenOnce,
    privateIp: chosenOnce,
    rootBlockDevice: chosen,
    secondaryPrivateIps: { ...chosen, set: true },
    sourceDestCheck: { fallback: true },
    subnetId: chosenOnce,
    tenancy: chosenOnce,
    userData: { ...updates, computed: true, normal: (value) => String(value).trimEnd() },
    userDataBase64: { ...replaces, replaces: false, computed: true },
    userDataReplaceOnChange: { ...local, fallback: false },
    vpcSecurityGroupIds: { ...chosen, set: true },
  },
  tagging: ec2Tagging,
  check: (inputs) => [
    ...(inputs.ami === undefined ? ["An instance needs ami; it is missing"] : []),
    ...(inputs.instanceType === undefined ? ["An instance needs instanceType; it is missing"] : []),
    ...(inputs.primaryNetworkInterface !== undefined &&
    (inputs.subnetId ?? inputs.vpcSecurityGroupIds ?? inputs.privateIp) !== undefined
      ? [
          "subnetId, vpcSecurityGroupIds and privateIp belong to the network interface when the instance is given one",
        ]
      : []),
  ],
  replacesFor: (olds, news) => [
    ...(news.userDataReplaceOnChange === true ? (["userData", "userDataBase64"] as const) : []),
    ...(differ(olds.rootBlockDevice, news.rootBlockDevice, ["encrypted", "kmsKeyId"])
      ? (["rootBlockDevice"] as const)
      : []),
  ],
  async create({ aws, token }, inputs) {
    const { Instances } = await (
      await aws.ec2()
    ).runInstances({
      BlockDeviceMappings: await blockDevices(await aws.ec2(), inputs),
      ClientToken: token,
      DisableApiTermination: inputs.disableApiTermination,
      EbsOptimized: inputs.ebsOptimized,
      IamInstanceProfile:
        inputs.iamInstanceProfile === undefined ? undefined : { Name: inputs.iamInstanceProfile },
      ImageId: inputs.ami,
      InstanceInitiatedShutdownBehavior: literal(inputs.instanceInitiatedShutdownBehavior),
      InstanceType: literal(inputs.instanceType),
      KeyName: inputs.keyName,
      MaxCount: 1,
      MetadataOptions: metadata(inputs.metadataOptions),
      MinCount: 1,
      Monitoring: inputs.monitoring === undefined ? undefined : { Enabled: inputs.monitoring },
      ...networking(inputs),
      Placement: {
        AvailabilityZone: inputs.availabilityZone,
        GroupName: inputs.placementGroup,
        Tenancy: literal(inputs.tenancy),
      },
      TagSpecifications: tagged("instance", inputs.tags),
      UserData:
        inputs.userDataBase64 ??
        (inputs.userData === undefined ? undefined : Buffer.from(inputs.userData).toString("base64")),
    });
    return given(Instances?.[0]?.InstanceId, "the id of the instance");
  },
  async settle(context, id, inputs) {
    await stateIs(context, id, "running");
    if (inputs.sourceDestCheck === false && inputs.primaryNetworkInterface === undefined) {
      await (
        await context.aws.ec2()
      ).modifyInstanceAttribute({ InstanceId: id, SourceDestCheck: { Value: false } });
    }
  },
  async read(context, id, known) {
    const found = await described(context, id);
    if (found === undefined || ["terminated", "shutting-down"].includes(found.State?.Name ?? ""))
      return undefined;
    return instanceState(context, id, found, known);
  },
  async update(context, id, news, { olds, has }) {
    const ec2 = await context.aws.ec2();
    const InstanceId = id;
    if (has("vpcSecurityGroupIds") && news.vpcSecurityGroupIds !== undefined) {
      await ec2.modifyInstanceAttribute({ InstanceId, Groups: news.vpcSecurityGroupIds });
    }
    if (
      has("sourceDestCheck") &&
      news.sourceDestCheck !== undefined &&
      news.primaryNetworkInterface === undefined
    ) {
      await ec2.modifyInstanceAttribute({ InstanceId, SourceDestCheck: { Value: news.sourceDestCheck } });
    }
    if (has("disableApiTermination") && news.disableApiTermination !== undefined) {
      await ec2.modifyInstanceAttribute({
        InstanceId,
        DisableApiTermination: { Value: news.disableApiTermination },
      });
    }
    if (has("instanceInitiatedShutdownBehavior") && news.instanceInitiatedShutdownBehavior !== undefined) {
      const InstanceInitiatedShutdownBehavior = { Value: news.instanceInitiatedShutdownBehavior };
      await ec2.modifyInstanceAttribute({ InstanceId, InstanceInitiatedShutdownBehavior });
    }
    if (has("metadataOptions") && news.metadataOptions !== undefined) {
      await ec2.modifyInstanceMetadataOptions({ InstanceId, ...metadata(news.metadataOptions) });
    }
    if (has("monitoring") && news.monitoring !== undefined) {
      await (news.monitoring
        ? ec2.monitorInstances({ InstanceIds: [id] })
        : ec2.unmonitorInstances({ InstanceIds: [id] }));
    }
    if (has("iamInstanceProfile")) await setProfile(ec2, id, news.iamInstanceProfile);
    if (has("rootBlockDevice"))
      await updateRootDisk(context, olds.rootBlockDevice?.volumeId, news.rootBlockDevice);
    if (olds.instanceType !== undefined && has("instanceType", "userData", "userDataBase64"))
      await whileStopped(context, id, news, has);
  },
  async delete(context, id, state) {
    const ec2 = await context.aws.ec2();
    if (state.forceDestroy === true && state.disableApiTermination === true) {
      await ec2.modifyInstanceAttribute({ InstanceId: id, DisableApiTermination: { Value: false } });
    }
    await ec2.terminateInstances({ InstanceIds: [id] });
    await stateIs(context, id, "terminated");
  },
});

/** Changes that AWS takes only while the instance stands still. */
async function whileStopped(
  context: AwsContext,
  id: string,
  news: Args,
  has: (...names: ("instanceType" | "userData" | "userDataBase64")[]) => boolean,
): Promise<void> {
  const ec2 = await context.aws.ec2();
  await stop(context, id);
  if (has("instanceType"))
    await ec2.modifyInstanceAttribute({ InstanceId: id, InstanceType: { Value: news.instanceType } });
  if (has("userData", "userDataBase64")) {
    const text =
      news.userDataBase64 === undefined
        ? Buffer.from(news.userData ?? "")
        : Buffer.from(news.userDataBase64, "base64");
    await ec2
      .modifyInstanceAttribute({ InstanceId: id, UserData: { Value: text } })
      .catch((error: unknown) => {
        if (awsCode(error) !== "InvalidUserData.Malformed") throw error;
        // moto decodes once more than AWS does.
        return ec2.modifyInstanceAttribute({
          InstanceId: id,
          UserData: { Value: Buffer.from(text.toString("base64")) },
        });
      });
  }
  await ec2.startInstances({ InstanceIds: [id] });
  await stateIs(context, id, "running");
}

/** Stops an instance and waits until it stands still. */
export async function stop(context: AwsContext, id: string): Promise<void> {
  const found = await described(context, id);
  if (found === undefined || ["terminated", "shutting-down", "stopped"].includes(found.State?.Name ?? ""))
    return;
  await (await context.aws.ec2()).stopInstances({ InstanceIds: [id] });
  await stateIs(context, id, "stopped");
}

async function described({ aws }: AwsContext, id: string): Promise<Found | undefined> {
  const { Reservations } = await (await aws.ec2()).describeInstances({ InstanceIds: [id] });
  return Reservations?.[0]?.Instances?.[0];
}

async function stateIs(
  context: AwsContext,
  id: string,
  wanted: "running" | "stopped" | "terminated",
): Promise<void> {
  await context.deadline.until(`instance ${id} is ${wanted}`, async () => {
    const found = await described(context, id).catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      throw error;
    });
    const name = found?.State?.Name;
    if (wanted === "terminated" && name === undefined) return true;
    if (wanted === "running" && (name === "terminated" || name === "shutting-down")) {
      throw new Error(
        `Instance ${id} ended instead of running: ${found?.StateReason?.Message ?? "no reason given"}`,
      );
    }
    return name === wanted || undefined;
  });
}

function networking(inputs: Args) {
  const first = inputs.primaryNetworkInterface?.networkInterfaceId;
  if (first !== undefined) return { NetworkInterfaces: [{ DeviceIndex: 0, NetworkInterfaceId: first }] };
  const {
    subnetId: SubnetId,
    vpcSecurityGroupIds,
    privateIp: PrivateIpAddress,
    associatePublicIpAddress,
  } = inputs;
  if (associatePublicIpAddress === undefined)
    return { SubnetId, SecurityGroupIds: vpcSecurityGroupIds, PrivateIpAddress };
  return {
    NetworkInterfaces: [
      {
        DeviceIndex: 0,
        SubnetId,
        Groups: vpcSecurityGroupIds,
        PrivateIpAddress,
        AssociatePublicIpAddress: associatePublicIpAddress,
      },
    ],
  };
}

function metadata(options: Args["metadataOptions"]) {
  if (options === undefined) return undefined;
  return {
    HttpEndpoint: literal<"enabled" | "disabled">(options.httpEndpoint),
    HttpProtocolIpv6: literal<"enabled" | "disabled">(options.httpProtocolIpv6),
    HttpPutResponseHopLimit: options.httpPutResponseHopLimit,
    HttpTokens: literal<"optional" | "required">(options.httpTokens),
    InstanceMetadataTags: literal<"enabled" | "disabled">(options.instanceMetadataTags),
  };
}

async function blockDevices(ec2: EC2, inputs: Args) {
  const own = (inputs.ebsBlockDevices ?? []).map((disk) => blockDevice(disk.deviceName, disk));
  if (inputs.rootBlockDevice === undefined) return own.length === 0 ? undefined : own;
  const { Images } = await ec2.describeImages({ ImageIds: [inputs.ami ?? ""] });
  return [blockDevice(Images?.[0]?.RootDeviceName ?? "/dev/sda1", inputs.rootBlockDevice), ...own];
}

async function setProfile(ec2: EC2, id: string, profile: string | undefined): Promise<void> {
  const { IamInstanceProfileAssociations } = await ec2.describeIamInstanceProfileAssociations({
    Filters: [{ Name: "instance-id", Values: [id] }],
  });
  const AssociationId = IamInstanceProfileAssociations?.[0]?.AssociationId;
  if (profile === undefined || profile === "") {
    if (AssociationId !== undefined) await ec2.disassociateIamInstanceProfile({ AssociationId });
  } else if (AssociationId === undefined) {
    await ec2.associateIamInstanceProfile({ InstanceId: id, IamInstanceProfile: { Name: profile } });
  } else {
    await ec2.replaceIamInstanceProfileAssociation({ AssociationId, IamInstanceProfile: { Name: profile } });
  }
}

function differ<T extends object>(
  old: T | undefined,
  wanted: object | undefined,
  keys: readonly (keyof T & string)[],
): boolean {
  return keys.some((key) => {
    const value: unknown = wanted === undefined ? undefined : Reflect.get(wanted, key);
    return value !== undefined && value !== (old === undefined ? undefined : Reflect.get(old, key));
  });
}
