import { definePolicy } from "../../core/policy";

export const defaultSecurityGroupClosed = definePolicy({
  name: "aws-ec2-default-security-group-closed",
  description: "The default security group of a VPC has no rules.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV2_AWS_12", "FSBP EC2.2"],
  rules: [14],
  remediationSteps:
    "Declare it without rules, so that a resource without a security group of its own has no network access.",
  types: ["aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"],
  check({ inputs }) {
    for (const key of ["ingress", "egress"]) {
      inputs.attempt(() => {
        const rules = inputs.at(key);
        if (rules.list().length > 0)
          rules.reportViolation(
            `Remove the ${key} rules, and create a security group for resources that need them.`,
          );
      });
    }
  },
});
