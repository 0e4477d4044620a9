import { definePolicy } from "../../core/policy";

export const keyRotation = definePolicy({
  name: "aws-kms-key-rotation",
  description: "Symmetric KMS keys are rotated every year.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV_AWS_7", "FSBP KMS.4"],
  rules: [31],
  remediationSteps:
    "Set enableKeyRotation to true. AWS rotates only symmetric encryption keys whose key material it generated.",
  types: ["aws:kms/key:Key"],
  check({ inputs }) {
    const spec = inputs.at("customerMasterKeySpec").text() ?? "SYMMETRIC_DEFAULT";
    const usage = inputs.at("keyUsage").text() ?? "ENCRYPT_DECRYPT";
    const rotation = inputs.at("enableKeyRotation");
    if (spec === "SYMMETRIC_DEFAULT" && usage === "ENCRYPT_DECRYPT" && rotation.flag() !== true)
      rotation.reportViolation("Set enableKeyRotation to true.");
  },
  remediate(inputs) {
    const spec = inputs.customerMasterKeySpec ?? "SYMMETRIC_DEFAULT";
    if (inputs.enableKeyRotation === true || spec !== "SYMMETRIC_DEFAULT") return false;
    inputs.enableKeyRotation = true;
    return true;
  },
});
