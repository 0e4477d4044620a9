import { definePolicy } from "../../judge/policy";
import { SUBNET } from "../types";

export const subnetNoPublicAddress = definePolicy({
  name: "aws-ec2-subnet-no-public-address",
  description: "Subnets give no public address to what is started in them.",
  level: "MUST",
  severity: "medium",
  sources: ["CKV_AWS_130", "FSBP EC2.15"],
  rules: [9],
  steps: "Set mapPublicIpOnLaunch to false; what needs a public address asks for one by name.",
  types: [SUBNET],
  check({ inputs }) {
    const maps = inputs.at("mapPublicIpOnLaunch");
    if (maps.flag() === true) maps.refuse("Set mapPublicIpOnLaunch to false.");
  },
  remediate(inputs) {
    if (inputs.mapPublicIpOnLaunch !== true) return false;
    inputs.mapPublicIpOnLaunch = false;
    return true;
  },
});
