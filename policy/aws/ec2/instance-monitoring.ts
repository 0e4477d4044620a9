import { definePolicy } from "../../judge/policy";
import { INSTANCE } from "../types";

export const instanceMonitoring = definePolicy({
  name: "aws-ec2-instance-monitoring",
  description: "Machines are measured every minute.",
  level: "SHOULD",
  severity: "low",
  sources: ["CKV_AWS_126"],
  rules: [20],
  steps: "Set monitoring to true; it costs a little for each machine.",
  types: [INSTANCE],
  check({ inputs }) {
    const monitoring = inputs.at("monitoring");
    if (monitoring.flag() !== true && !inputs.at("launchTemplate").isSet)
      monitoring.refuse("Set monitoring to true.");
  },
});
