import { definePolicy } from "../../judge/policy";

export const defaultSecurityGroupClosed = definePolicy({
  name: "aws-ec2-default-security-group-closed",
  description: "The default security group of a network lets nothing through.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV2_AWS_12", "FSBP EC2.2"],
  rules: [14],
  steps: "Declare it without rules, so that what forgets to name a group of its own reaches nothing.",
  types: ["aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"],
  check({ inputs }) {
    for (const key of ["ingress", "egress"]) {
      inputs.attempt(() => {
        const rules = inputs.at(key);
        if (rules.list().length > 0)
          rules.refuse(`Leave ${key} empty, and make a group of its own for what needs rules.`);
      });
    }
  },
});
