import { definePolicy } from "../../judge/policy";

export const noAutomount = definePolicy({
  name: "kubernetes-service-account-no-automount",
  description: "Service accounts give their token only to pods that ask for it.",
  level: "MUST",
  severity: "medium",
  sources: ["CIS-K 5.1.6"],
  rules: [42],
  steps:
    "Set automountServiceAccountToken to false on the account, and to true on the pods that ask something of the API.",
  types: ["kubernetes:core/v1:ServiceAccount"],
  check({ inputs }) {
    const automount = inputs.at("automountServiceAccountToken");
    if (automount.flag() !== false) automount.refuse("Set automountServiceAccountToken to false.");
  },
});
