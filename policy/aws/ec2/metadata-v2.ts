import { definePolicy } from "../../judge/policy";
import { isRecord } from "../../judge/property";
import { INSTANCE, LAUNCH_TEMPLATE } from "../types";

export const metadataV2 = definePolicy({
  name: "aws-ec2-metadata-v2",
  description: "Machines answer for their metadata by IMDSv2 only.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_79", "FSBP EC2.8", "FSBP EC2.170", "CT.EC2.PR.1"],
  rules: [6],
  steps:
    "Set metadataOptions.httpTokens to required: a program that is made to fetch an address cannot fetch credentials then.",
  types: [INSTANCE, LAUNCH_TEMPLATE],
  check({ inputs }) {
    const options = inputs.at("metadataOptions");
    // What an instance takes from a template is judged there.
    if (inputs.at("launchTemplate").isSet && !options.isSet) return;
    if (options.at("httpEndpoint").text() === "disabled") return;
    const tokens = options.at("httpTokens");
    if (tokens.text() !== "required") tokens.refuse("Set metadataOptions.httpTokens to required.");
  },
  remediate(inputs) {
    const options = isRecord(inputs.metadataOptions) ? inputs.metadataOptions : {};
    if (
      options.httpTokens === "required" ||
      (inputs.launchTemplate !== undefined && inputs.metadataOptions === undefined)
    )
      return false;
    inputs.metadataOptions = { ...options, httpTokens: "required" };
    return true;
  },
});
