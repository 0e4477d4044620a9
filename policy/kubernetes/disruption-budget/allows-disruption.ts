import { definePolicy } from "../../core/policy";

export const allowsDisruption = definePolicy({
  name: "kubernetes-disruption-budget-allows-disruption",
  description: "PodDisruptionBudgets allow at least one disruption, so that nodes can be drained.",
  level: "SHOULD",
  severity: "medium",
  sources: ["Pulumi disallowZeroVoluntaryDisruption"],
  rules: [44],
  remediationSteps: "Set maxUnavailable to 1, or minAvailable below the number of replicas.",
  types: ["kubernetes:policy/v1:PodDisruptionBudget"],
  check({ inputs }) {
    const most = inputs.at("spec", "maxUnavailable");
    if (most.number() === 0 || most.text() === "0%") most.reportViolation("Set maxUnavailable to 1 or more.");
    const least = inputs.at("spec", "minAvailable");
    if (least.text() === "100%") least.reportViolation("Set maxUnavailable to 1 instead.");
  },
});
