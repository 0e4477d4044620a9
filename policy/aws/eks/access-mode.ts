import { definePolicy } from "../../judge/policy";
import { EKS_CLUSTER } from "../types";

export const accessMode = definePolicy({
  name: "aws-eks-access-mode",
  description: "Who may use an EKS cluster is said by access entries only.",
  level: "MUST",
  severity: "medium",
  sources: ["CIS-E 4.1.7"],
  rules: [28],
  steps:
    "Set accessConfig.authenticationMode to API. From CONFIG_MAP go by API_AND_CONFIG_MAP; there is no way back.",
  types: [EKS_CLUSTER],
  check({ inputs }) {
    const mode = inputs.at("accessConfig", "authenticationMode");
    if (mode.text() !== "API") mode.refuse("Set accessConfig.authenticationMode to API.");
  },
});
