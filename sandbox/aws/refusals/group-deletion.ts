import { DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import { text } from "../call";
import type { RefusalRule } from "../rule";

/** An auto scaling group with instances is only deleted by force. */
export const groupDeletion: RefusalRule = {
  name: "auto scaling group deletion",
  calls: ["autoscaling:DeleteAutoScalingGroup"],
  async check(call, { aws }) {
    if (text(call, "ForceDelete") === "true") return undefined;
    const name = text(call, "AutoScalingGroupName") ?? "";
    const answer = await aws.autoscaling.send(
      new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] }),
    );
    return (answer.AutoScalingGroups?.[0]?.Instances ?? []).length > 0
      ? {
          code: "ResourceInUse",
          message:
            "You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) still in the group.",
        }
      : undefined;
  },
};
