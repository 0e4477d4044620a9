import { definePolicy } from "../../core/policy";

const LABEL = "pod-security.kubernetes.io/enforce";

export const podSecurity = definePolicy({
  name: "kubernetes-namespace-pod-security",
  description: "Namespaces enforce a Pod Security Standard.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.2.1", "NSA pods"],
  rules: [43],
  remediationSteps: `Set the label ${LABEL} to restricted, or to baseline if restricted is too strict.`,
  types: ["kubernetes:core/v1:Namespace"],
  check({ inputs }) {
    const label = inputs.at("metadata", "labels", LABEL);
    if (!["restricted", "baseline"].includes(label.text() ?? ""))
      label.reportViolation("Set it to restricted or baseline.");
  },
});
