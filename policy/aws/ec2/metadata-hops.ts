import { definePolicy } from "../../core/policy";
import { INSTANCE, LAUNCH_TEMPLATE } from "../shared/resource-types";

export const metadataHops = definePolicy({
  name: "aws-ec2-metadata-hops",
  description: "Instance metadata has a hop limit of 1, so that pods cannot use the instance's role.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_341", "CT.EC2.PR.2"],
  rules: [7],
  remediationSteps:
    "Leave httpPutResponseHopLimit at 1. If pods do need the instance's role, add an exemption with the value 2.",
  types: [INSTANCE, LAUNCH_TEMPLATE],
  check({ inputs }) {
    const hops = inputs.at("metadataOptions", "httpPutResponseHopLimit");
    if ((hops.number() ?? 1) > 1) hops.reportViolation("Set metadataOptions.httpPutResponseHopLimit to 1.");
  },
});
