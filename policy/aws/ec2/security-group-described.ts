import { definePolicy } from "../../judge/policy";
import { EGRESS_RULE, INGRESS_RULE, SECURITY_GROUP, SECURITY_GROUP_RULE } from "../types";

/** What the provider writes where nothing is said. */
const NOTHING = /^(managed by (pulumi|terraform))?$/i;

export const securityGroupDescribed = definePolicy({
  name: "aws-ec2-security-group-described",
  description: "Security groups and their rules say what they are for.",
  level: "SHOULD",
  severity: "low",
  sources: ["CKV_AWS_23"],
  rules: [13],
  steps: "Write a description for the group and each rule: it is what the next person decides by.",
  types: [SECURITY_GROUP, SECURITY_GROUP_RULE, INGRESS_RULE, EGRESS_RULE],
  check({ resource, inputs }) {
    const description = inputs.at("description");
    inputs.attempt(() => {
      if (NOTHING.test(description.text()?.trim() ?? "")) description.refuse("Say what it is for.");
    });
    if (resource.type !== SECURITY_GROUP) return;
    for (const key of ["ingress", "egress"]) {
      inputs.at(key).each((rule) => {
        const own = rule.at("description");
        if (NOTHING.test(own.text()?.trim() ?? "")) own.refuse("Say what the rule is for.");
      });
    }
  },
});
