import { definePolicy } from "../../judge/policy";

export const immutableTags = definePolicy({
  name: "aws-ecr-immutable-tags",
  description: "A tag of an image is never given to another one.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV_AWS_51"],
  rules: [29],
  steps: "Set imageTagMutability to IMMUTABLE.",
  types: ["aws:ecr/repository:Repository"],
  check({ inputs }) {
    const mutability = inputs.at("imageTagMutability");
    if (mutability.text() !== "IMMUTABLE") mutability.refuse("Set imageTagMutability to IMMUTABLE.");
  },
  remediate(inputs) {
    if (inputs.imageTagMutability === "IMMUTABLE") return false;
    inputs.imageTagMutability = "IMMUTABLE";
    return true;
  },
});
