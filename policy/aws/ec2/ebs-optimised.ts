import { definePolicy } from "../../judge/policy";
import { INSTANCE } from "../types";

/** Families for which AWS has it on always, so that saying it changes nothing. */
const ALWAYS = /^([acdfgimprtuxz]|inf|trn|hpc|im|is)\d*[a-z]*[3-9][a-z]*(-\w+)?\./;

export const ebsOptimised = definePolicy({
  name: "aws-ec2-ebs-optimised",
  description: "Machines have a way of their own to their volumes.",
  level: "SHOULD",
  severity: "low",
  sources: ["CKV_AWS_135"],
  rules: [20],
  steps: "Set ebsOptimized to true, or take a type of a newer generation, which always is.",
  types: [INSTANCE],
  check({ inputs }) {
    const optimised = inputs.at("ebsOptimized");
    if (optimised.flag() === true || inputs.at("launchTemplate").isSet) return;
    if (!ALWAYS.test(inputs.at("instanceType").text() ?? "")) optimised.refuse("Set ebsOptimized to true.");
  },
});
