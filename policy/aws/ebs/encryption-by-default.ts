import { definePolicy } from "../../core/policy";

export const encryptionByDefault = definePolicy({
  name: "aws-ebs-encryption-by-default",
  description: "EBS encryption by default is not turned off.",
  level: "MUST",
  severity: "medium",
  sources: ["FSBP EC2.7"],
  rules: [4],
  remediationSteps: "Set enabled to true, which is the resource's default.",
  types: ["aws:ebs/encryptionByDefault:EncryptionByDefault"],
  check({ inputs }) {
    const enabled = inputs.at("enabled");
    if (enabled.flag() === false) enabled.reportViolation("Set enabled to true.");
  },
});
