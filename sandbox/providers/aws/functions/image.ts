import type { BlockDeviceMapping, Image } from "@aws-sdk/client-ec2";
import type * as aws from "@pulumi/aws";
import type { Plain } from "../core/declaration";
import { lookup } from "../core/declaration";
import { fromTagList } from "../core/tags";

/** The image that fits, or the newest of those that fit. */
export const getAmi = lookup<aws.ec2.GetAmiArgs, aws.ec2.GetAmiResult>({
  token: "aws:ec2/getAmi:getAmi",
  args: [
    "allowUnsafeFilter",
    "executableUsers",
    "filters",
    "includeDeprecated",
    "mostRecent",
    "nameRegex",
    "owners",
  ],
  async invoke({ aws, region, partition }, args) {
    const { Images } = await (
      await aws.ec2()
    ).describeImages({
      ExecutableUsers: args.executableUsers,
      Filters: args.filters?.map(({ name, values }) => ({ Name: name, Values: values })),
      IncludeDeprecated: args.includeDeprecated,
      Owners: args.owners,
    });
    const image = choose(Images ?? [], args);
    const id = image.ImageId ?? "";
    return {
      ...args,
      architecture: image.Architecture ?? "",
      arn: `arn:${partition}:ec2:${region}::image/${id}`,
      blockDeviceMappings: (image.BlockDeviceMappings ?? []).map(mapping),
      bootMode: image.BootMode ?? "",
      creationDate: image.CreationDate ?? "",
      deprecationTime: image.DeprecationTime ?? "",
      description: image.Description ?? "",
      enaSupport: image.EnaSupport ?? false,
      hypervisor: image.Hypervisor ?? "",
      id,
      imageId: id,
      imageLocation: image.ImageLocation ?? "",
      imageOwnerAlias: image.ImageOwnerAlias ?? "",
      imageType: image.ImageType ?? "",
      imdsSupport: image.ImdsSupport ?? "",
      kernelId: image.KernelId ?? "",
      lastLaunchedTime: image.LastLaunchedTime ?? "",
      name: image.Name ?? "",
      ownerId: image.OwnerId ?? "",
      platform: image.Platform ?? "",
      platformDetails: image.PlatformDetails ?? "",
      productCodes: [],
      public: image.Public ?? false,
      ramdiskId: image.RamdiskId ?? "",
      region,
      rootDeviceName: image.RootDeviceName ?? "",
      rootDeviceType: image.RootDeviceType ?? "",
      rootSnapshotId:
        image.BlockDeviceMappings?.find(({ DeviceName }) => DeviceName === image.RootDeviceName)?.Ebs
          ?.SnapshotId ?? "",
      sriovNetSupport: image.SriovNetSupport ?? "",
      state: image.State ?? "",
      stateReason: {
        code: image.StateReason?.Code ?? "UNSET",
        message: image.StateReason?.Message ?? "UNSET",
      },
      tags: fromTagList(image.Tags),
      tpmSupport: image.TpmSupport ?? "",
      usageOperation: image.UsageOperation ?? "",
      virtualizationType: image.VirtualizationType ?? "",
    };
  },
});

/** The image meant by the arguments; an error says why there is none. */
export function choose(images: readonly Image[], args: Plain<aws.ec2.GetAmiArgs>): Image {
  const pattern = args.nameRegex === undefined ? undefined : new RegExp(args.nameRegex);
  const fitting = images.filter(({ Name }) => pattern === undefined || pattern.test(Name ?? ""));
  const [newest, second] = [...fitting].sort((one, other) =>
    (other.CreationDate ?? "").localeCompare(one.CreationDate ?? ""),
  );
  if (newest === undefined) {
    throw new Error(
      `getAmi found no image for ${JSON.stringify(args)}. Change owners, filters or nameRegex.`,
    );
  }
  if (second !== undefined && args.mostRecent !== true) {
    throw new Error(
      `getAmi found ${fitting.length} images. Set mostRecent to take the newest, or filter more narrowly.`,
    );
  }
  return newest;
}

function mapping({ DeviceName, NoDevice, VirtualName, Ebs }: BlockDeviceMapping) {
  return {
    deviceName: DeviceName ?? "",
    ebs: {
      delete_on_termination: String(Ebs?.DeleteOnTermination ?? false),
      encrypted: String(Ebs?.Encrypted ?? false),
      iops: String(Ebs?.Iops ?? 0),
      snapshot_id: Ebs?.SnapshotId ?? "",
      throughput: String(Ebs?.Throughput ?? 0),
      volume_size: String(Ebs?.VolumeSize ?? 0),
      volume_type: Ebs?.VolumeType ?? "",
    },
    noDevice: NoDevice ?? "",
    virtualName: VirtualName ?? "",
  };
}
