import { definePolicy } from "../../core/policy";
import { EGRESS_RULE, INGRESS_RULE, SECURITY_GROUP, SECURITY_GROUP_RULE } from "../shared/resource-types";

/** What the provider writes where nothing is said. */
const NOTHING = /^(managed by (pulumi|terraform))?$/i;

export const securityGroupDescribed = definePolicy({
  name: "aws-ec2-security-group-described",
  description: "Security groups and their rules have a description.",
  level: "SHOULD",
  severity: "low",
  sources: ["CKV_AWS_23"],
  rules: [13],
  remediationSteps:
    "Describe what the group and each rule are for, so that the next person can decide about them.",
  types: [SECURITY_GROUP, SECURITY_GROUP_RULE, INGRESS_RULE, EGRESS_RULE],
  check({ resource, inputs }) {
    const description = inputs.at("description");
    inputs.attempt(() => {
      if (NOTHING.test(description.text()?.trim() ?? ""))
        description.reportViolation("Describe what the security group is for.");
    });
    if (resource.type !== SECURITY_GROUP) return;
    for (const key of ["ingress", "egress"]) {
      inputs.at(key).each((rule) => {
        const own = rule.at("description");
        if (NOTHING.test(own.text()?.trim() ?? "")) own.reportViolation("Describe what the rule is for.");
      });
    }
  },
});
