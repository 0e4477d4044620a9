import { definePolicy } from "../../core/policy";
import { INSTANCE } from "../shared/resource-types";

export const instanceMonitoring = definePolicy({
  name: "aws-ec2-instance-monitoring",
  description: "Instances have detailed monitoring.",
  level: "SHOULD",
  severity: "low",
  sources: ["CKV_AWS_126"],
  rules: [20],
  remediationSteps: "Set monitoring to true. It costs a little per instance.",
  types: [INSTANCE],
  check({ inputs }) {
    const monitoring = inputs.at("monitoring");
    if (monitoring.flag() !== true && !inputs.at("launchTemplate").isSet)
      monitoring.reportViolation("Set monitoring to true.");
  },
});
