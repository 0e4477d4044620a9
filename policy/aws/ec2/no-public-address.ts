import { definePolicy } from "../../core/policy";
import { INSTANCE, LAUNCH_TEMPLATE } from "../shared/resource-types";

export const noPublicAddress = definePolicy({
  name: "aws-ec2-no-public-address",
  description: "Instances have no public IP address.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_88", "FSBP EC2.9", "FSBP EC2.25", "CT.EC2.PR.8", "CT.EC2.PR.9"],
  rules: [8],
  remediationSteps:
    "Use private subnets, and reach instances through a load balancer, Systems Manager or a bastion host.",
  types: [INSTANCE, LAUNCH_TEMPLATE],
  check({ inputs }) {
    const own = inputs.at("associatePublicIpAddress");
    inputs.attempt(() => {
      if (own.flag() === true) own.reportViolation("Set associatePublicIpAddress to false.");
    });
    inputs.at("networkInterfaces").each((one) => {
      const address = one.at("associatePublicIpAddress");
      if (address.flag() === true) address.reportViolation('Set associatePublicIpAddress to "false".');
    });
  },
});
