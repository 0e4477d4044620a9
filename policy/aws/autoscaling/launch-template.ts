import { definePolicy } from "../../core/policy";
import { AUTO_SCALING_GROUP } from "../shared/resource-types";

export const launchTemplate = definePolicy({
  name: "aws-autoscaling-launch-template",
  description: "Auto scaling groups use a launch template.",
  level: "MUST",
  severity: "low",
  sources: ["CKV_AWS_315"],
  rules: [17],
  remediationSteps:
    "Use a launch template. Launch configurations have no versions and do not fully support IMDSv2.",
  types: [AUTO_SCALING_GROUP],
  check({ inputs }) {
    const old = inputs.at("launchConfiguration");
    const template = inputs.at("launchTemplate");
    if (old.isSet)
      old.reportViolation("Use launchTemplate or mixedInstancesPolicy instead of launchConfiguration.");
    else if (!template.isSet && !inputs.at("mixedInstancesPolicy").isSet)
      template.reportViolation("Set launchTemplate or mixedInstancesPolicy.");
  },
});
