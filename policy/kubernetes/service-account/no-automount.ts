import { definePolicy } from "../../core/policy";

export const noAutomount = definePolicy({
  name: "kubernetes-service-account-no-automount",
  description: "Service accounts do not mount their token automatically.",
  level: "MUST",
  severity: "medium",
  sources: ["CIS-K 5.1.6"],
  rules: [42],
  remediationSteps:
    "Set automountServiceAccountToken to false on the service account, and to true on the pods that use the API.",
  types: ["kubernetes:core/v1:ServiceAccount"],
  check({ inputs }) {
    const automount = inputs.at("automountServiceAccountToken");
    if (automount.flag() !== false) automount.reportViolation("Set automountServiceAccountToken to false.");
  },
});
