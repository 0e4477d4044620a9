import { definePolicy } from "../../judge/policy";
import { INSTANCE, LAUNCH_TEMPLATE } from "../types";

export const noPublicAddress = definePolicy({
  name: "aws-ec2-no-public-address",
  description: "Machines have no public address.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_88", "FSBP EC2.9", "FSBP EC2.25", "CT.EC2.PR.8", "CT.EC2.PR.9"],
  rules: [8],
  steps:
    "Put machines into private subnets and reach them through a load balancer, Systems Manager or a bastion.",
  types: [INSTANCE, LAUNCH_TEMPLATE],
  check({ inputs }) {
    const own = inputs.at("associatePublicIpAddress");
    inputs.attempt(() => {
      if (own.flag() === true) own.refuse("Set associatePublicIpAddress to false.");
    });
    inputs.at("networkInterfaces").each((one) => {
      const address = one.at("associatePublicIpAddress");
      if (address.flag() === true) address.refuse('Set associatePublicIpAddress to "false".');
    });
  },
});
