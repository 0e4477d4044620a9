import { GetPolicyCommand } from "@aws-sdk/client-iam";
import { text } from "../call";
import type { RefusalRule } from "../rule";

/** A policy that is attached stays. */
export const policyDeletion: RefusalRule = {
  name: "policy deletion",
  calls: ["iam:DeletePolicy"],
  async check(call, context) {
    const answer = await context.aws.iam
      .send(new GetPolicyCommand({ PolicyArn: text(call, "PolicyArn") ?? "" }))
      .catch(() => undefined);
    return (answer?.Policy?.AttachmentCount ?? 0) > 0
      ? { code: "DeleteConflict", message: "Cannot delete a policy attached to entities.", status: 409 }
      : undefined;
  },
};
