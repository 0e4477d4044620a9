import { definePolicy } from "../../judge/policy";

const LABEL = "pod-security.kubernetes.io/enforce";

export const podSecurity = definePolicy({
  name: "kubernetes-namespace-pod-security",
  description: "Every namespace says which pods it lets in.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.2.1", "NSA pods"],
  rules: [43],
  steps: `Label it ${LABEL}: restricted, or baseline where that is too much.`,
  types: ["kubernetes:core/v1:Namespace"],
  check({ inputs }) {
    const label = inputs.at("metadata", "labels", LABEL);
    if (!["restricted", "baseline"].includes(label.text() ?? ""))
      label.refuse("Set it to restricted or baseline.");
  },
});
