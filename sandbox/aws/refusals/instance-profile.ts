import { GetInstanceProfileCommand } from "@aws-sdk/client-iam";
import { text } from "../call";
import type { RefusalRule } from "../rule";

/** EC2 does not know an unknown instance profile in its own words, not in IAM's. */
export const instanceProfile: RefusalRule = {
  name: "instance profile",
  calls: ["ec2:RunInstances"],
  async check(call, context) {
    const arn = text(call, "IamInstanceProfile.Arn");
    const name = text(call, "IamInstanceProfile.Name") ?? arn?.split("/").at(-1);
    if (name === undefined) return undefined;
    const known = await context.aws.iam
      .send(new GetInstanceProfileCommand({ InstanceProfileName: name }))
      .then(() => true)
      .catch(() => false);
    if (known) return undefined;
    const [field, value] = arn === undefined ? ["name", name] : ["arn", arn];
    return {
      code: "InvalidParameterValue",
      message: `Value (${value}) for parameter iamInstanceProfile.${field} is invalid. Invalid IAM Instance Profile ${arn === undefined ? "name" : "ARN"}`,
    };
  },
};
