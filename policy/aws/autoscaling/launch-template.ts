import { definePolicy } from "../../judge/policy";
import { AUTO_SCALING_GROUP } from "../types";

export const launchTemplate = definePolicy({
  name: "aws-autoscaling-launch-template",
  description: "Auto scaling groups start machines from a launch template.",
  level: "MUST",
  severity: "low",
  sources: ["CKV_AWS_315"],
  rules: [17],
  steps: "Use a launch template: launch configurations have no versions and cannot ask for IMDSv2 in full.",
  types: [AUTO_SCALING_GROUP],
  check({ inputs }) {
    const old = inputs.at("launchConfiguration");
    const template = inputs.at("launchTemplate");
    if (old.isSet) old.refuse("Give launchTemplate or mixedInstancesPolicy, and no launchConfiguration.");
    else if (!template.isSet && !inputs.at("mixedInstancesPolicy").isSet)
      template.refuse("Give launchTemplate or mixedInstancesPolicy.");
  },
});
