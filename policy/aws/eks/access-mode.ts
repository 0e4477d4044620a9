import { definePolicy } from "../../core/policy";
import { EKS_CLUSTER } from "../shared/resource-types";

export const accessMode = definePolicy({
  name: "aws-eks-access-mode",
  description: "EKS clusters use access entries only for authentication.",
  level: "MUST",
  severity: "medium",
  sources: ["CIS-E 4.1.7"],
  rules: [28],
  remediationSteps:
    "Set accessConfig.authenticationMode to API. From CONFIG_MAP, change to API_AND_CONFIG_MAP first; there is no way back.",
  types: [EKS_CLUSTER],
  check({ inputs }) {
    const mode = inputs.at("accessConfig", "authenticationMode");
    if (mode.text() !== "API") mode.reportViolation("Set accessConfig.authenticationMode to API.");
  },
});
