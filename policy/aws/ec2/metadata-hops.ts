import { definePolicy } from "../../judge/policy";
import { INSTANCE, LAUNCH_TEMPLATE } from "../types";

export const metadataHops = definePolicy({
  name: "aws-ec2-metadata-hops",
  description: "Answers of the metadata service stay on the machine, so that pods cannot take on its role.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_341", "CT.EC2.PR.2"],
  rules: [7],
  steps:
    "Leave httpPutResponseHopLimit at 1. Where pods truly need the machine's role, write an exemption with the value 2.",
  types: [INSTANCE, LAUNCH_TEMPLATE],
  check({ inputs }) {
    const hops = inputs.at("metadataOptions", "httpPutResponseHopLimit");
    if ((hops.number() ?? 1) > 1) hops.refuse("Set metadataOptions.httpPutResponseHopLimit to 1.");
  },
});
