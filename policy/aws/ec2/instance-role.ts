import { definePolicy } from "../../core/policy";
import { INSTANCE } from "../shared/resource-types";

export const instanceRole = definePolicy({
  name: "aws-ec2-instance-role",
  description: "Instances have an IAM role.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV2_AWS_41"],
  rules: [19],
  remediationSteps:
    "Set iamInstanceProfile, so that no access keys are needed on the instance. Launch templates for EKS get the role from their node group and are not evaluated.",
  types: [INSTANCE],
  check({ inputs }) {
    const profile = inputs.at("iamInstanceProfile");
    if (!profile.isSet && !inputs.at("launchTemplate").isSet)
      profile.reportViolation("Set iamInstanceProfile.");
  },
});
