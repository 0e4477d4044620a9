import { definePolicy } from "../../core/policy";
import type { Property } from "../../core/property";
import { isInternet } from "../shared/ingress-rules";

const ACL = "aws:ec2/networkAcl:NetworkAcl";
const RULE = "aws:ec2/networkAclRule:NetworkAclRule";
const PORTS = [22, 3389];

export const networkAclNotOpen = definePolicy({
  name: "aws-ec2-network-acl-not-open",
  description: "Network ACLs do not open SSH or RDP to the internet.",
  level: "MUST",
  severity: "medium",
  sources: ["CT.EC2.PR.5", "FSBP EC2.21"],
  rules: [16],
  remediationSteps: "Allow only the ports that you serve, and restrict the others to your own CIDR ranges.",
  types: [ACL, RULE],
  check({ resource, inputs }) {
    const check = (rule: Property, action: Property): void => {
      if (action.text()?.toLowerCase() !== "allow") return;
      const isAll = ["-1", "all"].includes(
        rule.at("protocol").text() ?? String(rule.at("protocol").number()),
      );
      const first = isAll ? 0 : (rule.at("fromPort").number() ?? 0);
      const last = isAll ? 65535 : (rule.at("toPort").number() ?? 65535);
      const port = PORTS.find((one) => one >= first && one <= last);
      if (port === undefined) return;
      for (const range of [rule.at("cidrBlock"), rule.at("ipv6CidrBlock")]) {
        if (isInternet(range.text()))
          range.reportViolation(`List the CIDR ranges that may use port ${port}.`);
      }
    };
    if (resource.type === ACL) inputs.at("ingress").each((rule) => check(rule, rule.at("action")));
    else if (inputs.at("egress").flag() !== true) check(inputs, inputs.at("ruleAction"));
  },
});
