import { crc32 } from "node:zlib";
import type { Volume as Found } from "@aws-sdk/client-ec2";
import type * as aws from "@pulumi/aws";
import { given } from "../core/answer";
import type { AwsContext } from "../core/context";
import { declare, literal } from "../core/declaration";
import { chosen, chosenOnce, identifies, local, replaces } from "../core/property";
import { fromTagList } from "../core/tags";
import { ec2Tagging, tagged } from "./ec2-tags";
import { stop } from "./instance";

/** A block device of its own. */
export const volume = declare<aws.ebs.VolumeArgs, aws.ebs.VolumeState>({
  token: "aws:ebs/volume:Volume",
  properties: {
    availabilityZone: identifies,
    encrypted: chosenOnce,
    finalSnapshot: { ...local, fallback: false },
    iops: chosen,
    kmsKeyId: chosenOnce,
    multiAttachEnabled: replaces,
    size: chosen,
    snapshotId: chosenOnce,
    throughput: chosen,
    type: chosen,
  },
  tagging: ec2Tagging,
  check: ({ size, snapshotId }) =>
    size === undefined && snapshotId === undefined ? ["A volume needs size or snapshotId"] : [],
  async create({ aws, token }, inputs) {
    const { VolumeId } = await (
      await aws.ec2()
    ).createVolume({
      AvailabilityZone: inputs.availabilityZone,
      ClientToken: token,
      Encrypted: inputs.encrypted,
      Iops: inputs.iops,
      KmsKeyId: inputs.kmsKeyId,
      MultiAttachEnabled: inputs.multiAttachEnabled,
      Size: inputs.size,
      SnapshotId: inputs.snapshotId,
      TagSpecifications: tagged("volume", inputs.tags),
      Throughput: inputs.throughput,
      VolumeType: literal(inputs.type),
    });
    return given(VolumeId, "the id of the volume");
  },
  settle: (context, id) =>
    context.deadline.until(`volume ${id} is available`, async () => {
      const found = await described(context, id);
      return ["available", "in-use"].includes(found?.State ?? "") || undefined;
    }),
  async read(context, id) {
    const found = await described(context, id);
    if (found === undefined || found.State === "deleting" || found.State === "deleted") return undefined;
    return {
      arn: `arn:${context.partition}:ec2:${context.region}:${await context.account()}:volume/${id}`,
      availabilityZone: found.AvailabilityZone,
      createTime: found.CreateTime?.toISOString(),
      encrypted: found.Encrypted ?? false,
      iops: found.Iops,
      kmsKeyId: found.KmsKeyId ?? "",
      multiAttachEnabled: found.MultiAttachEnabled ?? false,
      outpostArn: "",
      size: found.Size,
      snapshotId: found.SnapshotId ?? "",
      tags: fromTagList(found.Tags),
      throughput: found.Throughput ?? 0,
      type: found.VolumeType,
    };
  },
  async update(context, id, news, { has }) {
    if (!has("iops", "size", "throughput", "type")) return;
    await (
      await context.aws.ec2()
    ).modifyVolume({
      VolumeId: id,
      Iops: news.iops,
      Size: news.size,
      Throughput: news.throughput,
      VolumeType: literal(news.type),
    });
    await modified(context, id);
  },
  async delete(context, id, state) {
    const ec2 = await context.aws.ec2();
    if (state.finalSnapshot === true) {
      const { SnapshotId } = await ec2.createSnapshot({
        VolumeId: id,
        TagSpecifications: tagged("snapshot", state.tagsAll),
      });
      await completed(context, given(SnapshotId, "the id of the final snapshot"));
    }
    await ec2.deleteVolume({ VolumeId: id });
    await context.deadline.until(`volume ${id} is deleted`, async () => {
      const { Volumes } = await ec2.describeVolumes({ Filters: [{ Name: "volume-id", Values: [id] }] });
      return Volumes?.length === 0 || undefined;
    });
  },
});

/** That a volume is on an instance. */
export const volumeAttachment = declare<aws.ec2.VolumeAttachmentArgs, aws.ec2.VolumeAttachmentState>({
  token: "aws:ec2/volumeAttachment:VolumeAttachment",
  properties: {
    deviceName: identifies,
    forceDetach: local,
    instanceId: identifies,
    skipDestroy: local,
    stopInstanceBeforeDetaching: local,
    volumeId: identifies,
  },
  async create({ aws }, inputs) {
    await (
      await aws.ec2()
    ).attachVolume({ Device: inputs.deviceName, InstanceId: inputs.instanceId, VolumeId: inputs.volumeId });
    return attachmentId(inputs.deviceName, inputs.volumeId, inputs.instanceId);
  },
  settle: (context, _id, inputs) =>
    context.deadline.until(`volume ${inputs.volumeId} is attached`, async () => {
      const found = await described(context, inputs.volumeId);
      const own = found?.Attachments?.find(({ InstanceId }) => InstanceId === inputs.instanceId);
      return own?.State === "attached" ? own : undefined;
    }),
  fromImport(given) {
    const [deviceName = "", volumeId = "", instanceId = ""] = given.split(":");
    return {
      id: attachmentId(deviceName, volumeId, instanceId),
      known: { deviceName, volumeId, instanceId },
    };
  },
  async read(context, _id, known) {
    const found = await described(context, known.volumeId ?? "");
    const attachment = found?.Attachments?.find(({ InstanceId }) => InstanceId === known.instanceId);
    if (attachment === undefined) return undefined;
    return {
      deviceName: attachment.Device,
      instanceId: attachment.InstanceId,
      volumeId: attachment.VolumeId,
    };
  },
  async delete(context, _id, state) {
    if (state.skipDestroy === true) return;
    const ec2 = await context.aws.ec2();
    const volumeId = state.volumeId ?? "";
    const attached = async (): Promise<boolean> =>
      (await described(context, volumeId))?.Attachments?.some(
        ({ InstanceId }) => InstanceId === state.instanceId,
      ) === true;
    if (!(await attached())) return;
    if (state.stopInstanceBeforeDetaching === true) await stop(context, state.instanceId ?? "");
    await ec2.detachVolume({
      Device: state.deviceName,
      Force: state.forceDetach,
      InstanceId: state.instanceId,
      VolumeId: volumeId,
    });
    await context.deadline.until(
      `volume ${volumeId} is detached`,
      async () => !(await attached()) || undefined,
    );
  },
});

/** A snapshot of a volume. */
export const snapshot = declare<aws.ebs.SnapshotArgs, aws.ebs.SnapshotState>({
  token: "aws:ebs/snapshot:Snapshot",
  properties: { description: replaces, volumeId: identifies },
  tagging: ec2Tagging,
  async create({ aws }, inputs) {
    const { SnapshotId } = await (
      await aws.ec2()
    ).createSnapshot({
      Description: inputs.description,
      TagSpecifications: tagged("snapshot", inputs.tags),
      VolumeId: inputs.volumeId,
    });
    return given(SnapshotId, "the id of the snapshot");
  },
  settle: completed,
  async read({ aws, region, partition }, id) {
    const { Snapshots } = await (await aws.ec2()).describeSnapshots({ SnapshotIds: [id] });
    const found = Snapshots?.[0];
    if (found === undefined) return undefined;
    return {
      arn: `arn:${partition}:ec2:${region}::snapshot/${id}`,
      dataEncryptionKeyId: found.DataEncryptionKeyId ?? "",
      description: found.Description,
      encrypted: found.Encrypted ?? false,
      kmsKeyId: found.KmsKeyId ?? "",
      ownerAlias: found.OwnerAlias ?? "",
      ownerId: found.OwnerId,
      storageTier: found.StorageTier ?? "standard",
      tags: fromTagList(found.Tags),
      volumeId: found.VolumeId,
      volumeSize: found.VolumeSize,
    };
  },
  delete: async ({ aws }, id) => (await aws.ec2()).deleteSnapshot({ SnapshotId: id }),
});

/** Waits until AWS has begun to use what was modified. */
export async function modified({ aws, deadline }: AwsContext, id: string): Promise<void> {
  const ec2 = await aws.ec2();
  await deadline.until(`volume ${id} is modified`, async () => {
    const { VolumesModifications } = await ec2.describeVolumesModifications({ VolumeIds: [id] });
    return (
      (VolumesModifications ?? []).every(({ ModificationState }) =>
        ["completed", "optimizing"].includes(ModificationState ?? "completed"),
      ) || undefined
    );
  });
}

async function completed({ aws, deadline }: AwsContext, id: string): Promise<void> {
  const ec2 = await aws.ec2();
  await deadline.until(`snapshot ${id} is completed`, async () => {
    const { Snapshots } = await ec2.describeSnapshots({ SnapshotIds: [id] });
    return Snapshots?.[0]?.State === "completed" || undefined;
  });
}

async function described({ aws }: AwsContext, id: string): Promise<Found | undefined> {
  return (await (await aws.ec2()).describeVolumes({ VolumeIds: [id] })).Volumes?.[0];
}

function attachmentId(device: string, volumeId: string, instanceId: string): string {
  return `vai-${crc32(`${device}-${instanceId}-${volumeId}-`)}`;
}
