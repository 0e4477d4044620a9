import { definePolicy } from "../../judge/policy";
import type { Property } from "../../judge/property";
import { EGRESS_RULE, SECURITY_GROUP, SECURITY_GROUP_RULE } from "../types";
import { isWorld } from "./open-doors";

export const egressRestricted = definePolicy({
  name: "aws-ec2-egress-restricted",
  description: "Security groups do not let everything out to everywhere.",
  level: "SHOULD",
  severity: "low",
  sources: ["CKV_AWS_382"],
  rules: [12],
  steps: "Name the ports and ranges that are needed, or endpoints of the services inside the network.",
  types: [SECURITY_GROUP, SECURITY_GROUP_RULE, EGRESS_RULE],
  check({ resource, inputs }) {
    const judge = (rule: Property, protocol: Property): void => {
      if (protocol.text() !== "-1" && protocol.number() !== -1) return;
      const ranges = [...rule.at("cidrBlocks").list(), ...rule.at("ipv6CidrBlocks").list()];
      for (const range of [...ranges, rule.at("cidrIpv4"), rule.at("cidrIpv6")]) {
        if (isWorld(range.text())) range.refuse("Name the ports and ranges that are needed.");
      }
    };
    if (resource.type === SECURITY_GROUP)
      inputs.at("egress").each((rule) => judge(rule, rule.at("protocol")));
    else if (resource.type === EGRESS_RULE) judge(inputs, inputs.at("ipProtocol"));
    else if (inputs.at("type").text() === "egress") judge(inputs, inputs.at("protocol"));
  },
});
