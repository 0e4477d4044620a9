import { definePolicy } from "../../judge/policy";
import { EKS_CLUSTER } from "../types";

export const secretsEncrypted = definePolicy({
  name: "aws-eks-secrets-encrypted",
  description: "Secrets of an EKS cluster are encrypted by a KMS key of your own.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_58", "CT.EKS.PR.2", "FSBP EKS.3", "CIS-E 5.3.1"],
  rules: [23],
  steps:
    "Give encryptionConfig with the key's ARN and the resource secrets. It can be added to a cluster, and not taken away.",
  types: [EKS_CLUSTER],
  check({ inputs }) {
    const config = inputs.at("encryptionConfig");
    const resources = config.at("resources");
    const key = config.at("provider", "keyArn");
    if (!resources.texts().includes("secrets"))
      resources.refuse('Set encryptionConfig.resources to ["secrets"].');
    else if (!key.isSet) key.refuse("Set encryptionConfig.provider.keyArn to the ARN of a key of your own.");
  },
});
