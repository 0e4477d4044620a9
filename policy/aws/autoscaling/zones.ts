import { definePolicy } from "../../judge/policy";
import { AUTO_SCALING_GROUP } from "../types";

export const zones = definePolicy({
  name: "aws-autoscaling-zones",
  description: "Auto scaling groups are spread over two zones or more.",
  level: "MUST",
  inProduction: true,
  severity: "medium",
  sources: ["FSBP AutoScaling.2"],
  rules: [18],
  steps: "Give a subnet in each of at least two zones.",
  types: [AUTO_SCALING_GROUP],
  check({ inputs }) {
    const subnets = inputs.at("vpcZoneIdentifiers");
    const zones = inputs.at("availabilityZones");
    const places = subnets.isSet ? subnets : zones;
    if (places.list().length < 2) places.refuse("Give a subnet in each of at least two zones.");
  },
});
