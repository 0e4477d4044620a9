import { definePolicy } from "../../core/policy";

export const immutableTags = definePolicy({
  name: "aws-ecr-immutable-tags",
  description: "ECR image tags are immutable.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV_AWS_51"],
  rules: [29],
  remediationSteps: "Set imageTagMutability to IMMUTABLE.",
  types: ["aws:ecr/repository:Repository"],
  check({ inputs }) {
    const mutability = inputs.at("imageTagMutability");
    if (mutability.text() !== "IMMUTABLE") mutability.reportViolation("Set imageTagMutability to IMMUTABLE.");
  },
  remediate(inputs) {
    if (inputs.imageTagMutability === "IMMUTABLE") return false;
    inputs.imageTagMutability = "IMMUTABLE";
    return true;
  },
});
