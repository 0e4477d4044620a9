import type { EC2, Instance as Found, Volume } from "@aws-sdk/client-ec2";
import type * as aws from "@pulumi/aws";
import type { AwsContext } from "../core/context";
import type { Plain } from "../core/declaration";
import { literal } from "../core/declaration";
import { modified } from "./volume";

type Root = NonNullable<Plain<aws.ec2.InstanceArgs>["rootBlockDevice"]>;

/** A disk of an instance as RunInstances takes it. */
export function blockDevice(DeviceName: string, disk: Root) {
  return {
    DeviceName,
    Ebs: {
      DeleteOnTermination: disk.deleteOnTermination ?? true,
      Encrypted: disk.encrypted,
      Iops: disk.iops,
      KmsKeyId: disk.kmsKeyId,
      Throughput: disk.throughput,
      VolumeSize: disk.volumeSize,
      VolumeType: literal<"gp3">(disk.volumeType),
    },
  };
}

/** The volumes that belong to an instance. */
export async function readDisks(ec2: EC2, found: Found): Promise<Volume[]> {
  const ids = (found.BlockDeviceMappings ?? []).flatMap(({ Ebs }) =>
    Ebs?.VolumeId === undefined ? [] : [Ebs.VolumeId],
  );
  return ids.length === 0 ? [] : ((await ec2.describeVolumes({ VolumeIds: ids })).Volumes ?? []);
}

/** The root disk, and the disks that were made with the instance; attached ones are resources of their own. */
export function diskState(found: Found, volumes: readonly Volume[]) {
  const disks = (found.BlockDeviceMappings ?? []).flatMap(({ DeviceName, Ebs }) => {
    const volume = volumes.find(({ VolumeId }) => VolumeId === Ebs?.VolumeId);
    if (volume === undefined || DeviceName === undefined) return [];
    return [
      {
        deleteOnTermination: Ebs?.DeleteOnTermination ?? false,
        deviceName: DeviceName,
        encrypted: volume.Encrypted ?? false,
        iops: volume.Iops,
        kmsKeyId: volume.KmsKeyId ?? "",
        throughput: volume.Throughput ?? 0,
        volumeId: volume.VolumeId,
        volumeSize: volume.Size,
        volumeType: volume.VolumeType,
      },
    ];
  });
  const root = disks.find(({ deviceName }) => deviceName === found.RootDeviceName) ?? disks[0];
  const own = disks.filter((disk) => disk !== root && disk.deleteOnTermination);
  return {
    ...(root === undefined ? {} : { rootBlockDevice: root }),
    ...(own.length === 0 ? {} : { ebsBlockDevices: own }),
  };
}

/** Makes the root disk larger or of another kind, in place. */
export async function updateRootDisk(
  context: AwsContext,
  volume: string | undefined,
  disk: Root | undefined,
): Promise<void> {
  if (volume === undefined || disk === undefined) return;
  await (
    await context.aws.ec2()
  ).modifyVolume({
    VolumeId: volume,
    Iops: disk.iops,
    Size: disk.volumeSize,
    Throughput: disk.throughput,
    VolumeType: literal(disk.volumeType),
  });
  await modified(context, volume);
}
