import { definePolicy } from "../../core/policy";
import type { Property } from "../../core/property";
import { EGRESS_RULE, SECURITY_GROUP, SECURITY_GROUP_RULE } from "../shared/resource-types";
import { isInternet } from "../shared/ingress-rules";

export const egressRestricted = definePolicy({
  name: "aws-ec2-egress-restricted",
  description: "Security groups do not allow all outbound traffic.",
  level: "SHOULD",
  severity: "low",
  sources: ["CKV_AWS_382"],
  rules: [12],
  remediationSteps: "Allow only the ports and CIDR ranges that are needed, or use VPC endpoints.",
  types: [SECURITY_GROUP, SECURITY_GROUP_RULE, EGRESS_RULE],
  check({ resource, inputs }) {
    const check = (rule: Property, protocol: Property): void => {
      if (protocol.text() !== "-1" && protocol.number() !== -1) return;
      const ranges = [...rule.at("cidrBlocks").list(), ...rule.at("ipv6CidrBlocks").list()];
      for (const range of [...ranges, rule.at("cidrIpv4"), rule.at("cidrIpv6")]) {
        if (isInternet(range.text()))
          range.reportViolation("Allow only the ports and CIDR ranges that are needed.");
      }
    };
    if (resource.type === SECURITY_GROUP)
      inputs.at("egress").each((rule) => check(rule, rule.at("protocol")));
    else if (resource.type === EGRESS_RULE) check(inputs, inputs.at("ipProtocol"));
    else if (inputs.at("type").text() === "egress") check(inputs, inputs.at("protocol"));
  },
});
