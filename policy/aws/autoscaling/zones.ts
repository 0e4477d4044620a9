import { definePolicy } from "../../core/policy";
import { AUTO_SCALING_GROUP } from "../shared/resource-types";

export const zones = definePolicy({
  name: "aws-autoscaling-zones",
  description: "Auto scaling groups span at least two availability zones.",
  level: "MUST",
  inProduction: true,
  severity: "medium",
  sources: ["FSBP AutoScaling.2"],
  rules: [18],
  remediationSteps: "List subnets in at least two availability zones.",
  types: [AUTO_SCALING_GROUP],
  check({ inputs }) {
    const subnets = inputs.at("vpcZoneIdentifiers");
    const zones = inputs.at("availabilityZones");
    const places = subnets.isSet ? subnets : zones;
    if (places.list().length < 2) places.reportViolation("List subnets in at least two availability zones.");
  },
});
