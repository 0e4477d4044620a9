import { definePolicy } from "../../core/policy";
import { INSTANCE } from "../shared/resource-types";

/** Families for which AWS has it on always, so that saying it changes nothing. */
const ALWAYS = /^([acdfgimprtuxz]|inf|trn|hpc|im|is)\d*[a-z]*[3-9][a-z]*(-\w+)?\./;

export const ebsOptimised = definePolicy({
  name: "aws-ec2-ebs-optimised",
  description: "Instances are EBS-optimized.",
  level: "SHOULD",
  severity: "low",
  sources: ["CKV_AWS_135"],
  rules: [20],
  remediationSteps: "Set ebsOptimized to true, or use a current instance type, which always is.",
  types: [INSTANCE],
  check({ inputs }) {
    const optimised = inputs.at("ebsOptimized");
    if (optimised.flag() === true || inputs.at("launchTemplate").isSet) return;
    if (!ALWAYS.test(inputs.at("instanceType").text() ?? ""))
      optimised.reportViolation("Set ebsOptimized to true.");
  },
});
