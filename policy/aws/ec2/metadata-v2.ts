import { definePolicy } from "../../core/policy";
import { isRecord } from "../../core/property";
import { INSTANCE, LAUNCH_TEMPLATE } from "../shared/resource-types";

export const metadataV2 = definePolicy({
  name: "aws-ec2-metadata-v2",
  description: "Instances require IMDSv2.",
  level: "MUST",
  severity: "high",
  sources: ["CKV_AWS_79", "FSBP EC2.8", "FSBP EC2.170", "CT.EC2.PR.1"],
  rules: [6],
  remediationSteps:
    "Set metadataOptions.httpTokens to required. With IMDSv1 a server-side request forgery can read credentials.",
  types: [INSTANCE, LAUNCH_TEMPLATE],
  check({ inputs }) {
    const options = inputs.at("metadataOptions");
    // What an instance takes from a launch template is evaluated there.
    if (inputs.at("launchTemplate").isSet && !options.isSet) return;
    if (options.at("httpEndpoint").text() === "disabled") return;
    const tokens = options.at("httpTokens");
    if (tokens.text() !== "required") tokens.reportViolation("Set metadataOptions.httpTokens to required.");
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
