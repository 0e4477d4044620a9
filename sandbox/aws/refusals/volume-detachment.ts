import { text } from "../call";
import type { RefusalRule } from "../rule";
import { volume } from "./lookup";

/** Only a volume that is attached can be detached, and only from where it is. */
export const volumeDetachment: RefusalRule = {
  name: "volume detachment",
  calls: ["ec2:DetachVolume"],
  async check(call, context) {
    const found = await volume(context, text(call, "VolumeId") ?? "");
    if (found === undefined) return undefined;
    const id = found.VolumeId ?? "";
    const [attachment] = found.Attachments ?? [];
    if (attachment === undefined) {
      return {
        code: "IncorrectState",
        message: `Volume '${id}' is in the '${found.State ?? "available"}' state.`,
      };
    }
    const named = text(call, "InstanceId");
    if (named !== undefined && named !== attachment.InstanceId) {
      return {
        code: "InvalidAttachment.NotFound",
        message: `The volume '${id}' is not attached to instance '${named}' as device '${text(call, "Device") ?? "any"}'.`,
      };
    }
    return undefined;
  },
};
