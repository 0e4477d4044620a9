import { definePolicy } from "../../judge/policy";

export const encrypted = definePolicy({
  name: "aws-ecr-encrypted",
  description: "Images are encrypted by a KMS key.",
  level: "MUST",
  severity: "low",
  sources: ["CKV_AWS_136"],
  rules: [29],
  // Not repaired by itself: a change of this replaces the repository.
  steps: "Set encryptionConfigurations to KMS before the repository is made.",
  types: ["aws:ecr/repository:Repository"],
  check({ inputs }) {
    const configurations = inputs.at("encryptionConfigurations");
    const types = configurations.list().map((one) => one.at("encryptionType").text());
    if (!types.some((type) => type === "KMS" || type === "KMS_DSSE"))
      configurations.refuse("Set encryptionConfigurations to [{ encryptionType: KMS }].");
  },
});
