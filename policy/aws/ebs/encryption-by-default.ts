import { definePolicy } from "../../judge/policy";

export const encryptionByDefault = definePolicy({
  name: "aws-ebs-encryption-by-default",
  description: "Where a stack sets whether EBS encrypts by default, it does.",
  level: "MUST",
  severity: "medium",
  sources: ["FSBP EC2.7"],
  rules: [4],
  steps: "Set enabled to true, or leave it out: it is the default of the resource.",
  types: ["aws:ebs/encryptionByDefault:EncryptionByDefault"],
  check({ inputs }) {
    const enabled = inputs.at("enabled");
    if (enabled.flag() === false) enabled.refuse("Set enabled to true.");
  },
});
