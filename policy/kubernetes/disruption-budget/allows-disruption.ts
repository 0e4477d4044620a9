import { definePolicy } from "../../judge/policy";

export const allowsDisruption = definePolicy({
  name: "kubernetes-disruption-budget-allows-disruption",
  description: "A disruption budget leaves room for one pod to go: otherwise no node can ever be drained.",
  level: "SHOULD",
  severity: "medium",
  sources: ["Pulumi disallowZeroVoluntaryDisruption"],
  rules: [44],
  steps: "Set maxUnavailable to 1, or minAvailable below the number of replicas.",
  types: ["kubernetes:policy/v1:PodDisruptionBudget"],
  check({ inputs }) {
    const most = inputs.at("spec", "maxUnavailable");
    if (most.number() === 0 || most.text() === "0%") most.refuse("Set maxUnavailable to 1 or more.");
    const least = inputs.at("spec", "minAvailable");
    if (least.text() === "100%") least.refuse("Set maxUnavailable to 1 instead.");
  },
});
