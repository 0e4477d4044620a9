import { definePolicy } from "../../core/policy";
import { VOLUME } from "../shared/resource-types";

export const volumeEncrypted = definePolicy({
  name: "aws-ebs-volume-encrypted",
  description: "EBS volumes are encrypted.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_3", "FSBP EC2.3", "CT.EC2.PR.7"],
  rules: [1],
  // Not repaired by itself: a change of this replaces the volume, and what is on it is gone.
  remediationSteps:
    "Set encrypted to true when you create the volume. Move an existing volume through an encrypted snapshot.",
  types: [VOLUME],
  check({ inputs }) {
    const encrypted = inputs.at("encrypted");
    if (encrypted.flag() !== true) encrypted.reportViolation("Set encrypted to true.");
  },
});
