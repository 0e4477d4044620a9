import { definePolicy } from "../../core/policy";
import { isRecord } from "../../core/property";

export const scanOnPush = definePolicy({
  name: "aws-ecr-scan-on-push",
  description: "ECR scans images on push.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV_AWS_163", "CIS-E 5.1.1"],
  rules: [29],
  remediationSteps: "Set imageScanningConfiguration.scanOnPush to true.",
  types: ["aws:ecr/repository:Repository"],
  check({ inputs }) {
    const scan = inputs.at("imageScanningConfiguration", "scanOnPush");
    if (scan.flag() !== true) scan.reportViolation("Set imageScanningConfiguration.scanOnPush to true.");
  },
  remediate(inputs) {
    const found = isRecord(inputs.imageScanningConfiguration) ? inputs.imageScanningConfiguration : {};
    if (found.scanOnPush === true) return false;
    inputs.imageScanningConfiguration = { ...found, scanOnPush: true };
    return true;
  },
});
