import { DescribeVolumesModificationsCommand } from "@aws-sdk/client-ec2";
import { text } from "../call";
import type { RefusalRule } from "../rule";
import { volume } from "./lookup";

const SIX_HOURS_MS = 6 * 3600 * 1000;

/** A volume grows and never shrinks, and is modified once in six hours. */
export const volumeModification: RefusalRule = {
  name: "volume modification",
  calls: ["ec2:ModifyVolume"],
  async check(call, context) {
    const id = text(call, "VolumeId") ?? "";
    const found = await volume(context, id);
    if (found === undefined) return undefined;
    if (Number(text(call, "Size") ?? Infinity) < (found.Size ?? 0)) {
      return { code: "InvalidParameterValue", message: "New size cannot be smaller than existing size" };
    }
    const answer = await context.aws.ec2.send(new DescribeVolumesModificationsCommand({ VolumeIds: [id] }));
    const starts = (answer.VolumesModifications ?? []).map(({ StartTime }) => StartTime?.getTime() ?? 0);
    if (context.now() - Math.max(0, ...starts) >= SIX_HOURS_MS) return undefined;
    return {
      code: "VolumeModificationRateExceeded",
      message:
        "You've reached the maximum modification rate per volume limit. Wait at least 6 hours between modifications per EBS volume.",
    };
  },
};
