import type { Instance, Volume } from "@aws-sdk/client-ec2";
import type { Refusal } from "../answer";
import { text } from "../call";
import type { RefusalRule } from "../rule";
import { instance, volume } from "./lookup";

/** A volume is attached once, in its own zone, to an instance that lives, at a device that is free. */
export const volumeAttachment: RefusalRule = {
  name: "volume attachment",
  calls: ["ec2:AttachVolume"],
  async check(call, context) {
    const wanted = await volume(context, text(call, "VolumeId") ?? "");
    const target = await instance(context, text(call, "InstanceId") ?? "");
    if (wanted === undefined || target === undefined) return undefined;
    return attachmentRefusal(wanted, target, text(call, "Device") ?? "");
  },
};

/** Decides whether a volume may be attached. */
export function attachmentRefusal(volume: Volume, instance: Instance, device: string): Refusal | undefined {
  const [volumeId, instanceId] = [volume.VolumeId ?? "", instance.InstanceId ?? ""];
  if (volume.State === "in-use" && volume.MultiAttachEnabled !== true) {
    return { code: "VolumeInUse", message: `${volumeId} is already attached to an instance` };
  }
  if (volume.State !== "available" && volume.State !== "in-use") {
    return { code: "IncorrectState", message: `The volume '${volumeId}' is not 'available'.` };
  }
  if (instance.State?.Name !== "running" && instance.State?.Name !== "stopped") {
    return { code: "IncorrectState", message: `Instance '${instanceId}' is not 'running'.` };
  }
  if (volume.AvailabilityZone !== instance.Placement?.AvailabilityZone) {
    return {
      code: "InvalidVolume.ZoneMismatch",
      message: `The volume '${volumeId}' is not in the same availability zone as instance '${instanceId}'`,
    };
  }
  if (instance.BlockDeviceMappings?.some(({ DeviceName }) => DeviceName === device) === true) {
    return {
      code: "InvalidParameterValue",
      message: `Invalid value '${device}' for unixDevice. Attachment point ${device} is already in use`,
    };
  }
  return undefined;
}
