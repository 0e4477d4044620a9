import { definePolicy } from "../../core/policy";
import { EKS_CLUSTER } from "../shared/resource-types";

export const secretsEncrypted = definePolicy({
  name: "aws-eks-secrets-encrypted",
  description: "EKS encrypts Secrets with a customer managed key.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_58", "CT.EKS.PR.2", "FSBP EKS.3", "CIS-E 5.3.1"],
  rules: [23],
  remediationSteps:
    "Set encryptionConfig with the key's ARN and the resource secrets. It can be added to a cluster later, but not removed.",
  types: [EKS_CLUSTER],
  check({ inputs }) {
    const config = inputs.at("encryptionConfig");
    const resources = config.at("resources");
    const key = config.at("provider", "keyArn");
    if (!resources.texts().includes("secrets"))
      resources.reportViolation('Set encryptionConfig.resources to ["secrets"].');
    else if (!key.isSet)
      key.reportViolation("Set encryptionConfig.provider.keyArn to the ARN of a customer managed key.");
  },
});
