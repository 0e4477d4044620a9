import { definePolicy } from "../../core/policy";
import { SUBNET } from "../shared/resource-types";

export const subnetNoPublicAddress = definePolicy({
  name: "aws-ec2-subnet-no-public-address",
  description: "Subnets do not assign public IP addresses.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV_AWS_130", "FSBP EC2.15"],
  rules: [9],
  remediationSteps: "Set mapPublicIpOnLaunch to false, and request a public address only where it is needed.",
  types: [SUBNET],
  check({ inputs }) {
    const maps = inputs.at("mapPublicIpOnLaunch");
    if (maps.flag() === true) maps.reportViolation("Set mapPublicIpOnLaunch to false.");
  },
  remediate(inputs) {
    if (inputs.mapPublicIpOnLaunch !== true) return false;
    inputs.mapPublicIpOnLaunch = false;
    return true;
  },
});
