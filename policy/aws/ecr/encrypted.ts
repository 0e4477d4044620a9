import { definePolicy } from "../../core/policy";

export const encrypted = definePolicy({
  name: "aws-ecr-encrypted",
  description: "ECR repositories are encrypted with KMS.",
  level: "MUST",
  severity: "low",
  sources: ["CKV_AWS_136"],
  rules: [29],
  // Not repaired by itself: a change of this replaces the repository.
  remediationSteps: "Set encryptionConfigurations to KMS when you create the repository.",
  types: ["aws:ecr/repository:Repository"],
  check({ inputs }) {
    const configurations = inputs.at("encryptionConfigurations");
    const types = configurations.list().map((one) => one.at("encryptionType").text());
    if (!types.some((type) => type === "KMS" || type === "KMS_DSSE"))
      configurations.reportViolation("Set encryptionConfigurations to [{ encryptionType: KMS }].");
  },
});
