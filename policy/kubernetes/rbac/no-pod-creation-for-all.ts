import { definePolicy } from "../../core/policy";
import { allows, CLUSTER_ROLE } from "../shared/rbac-rules";

export const noPodCreationForAll = definePolicy({
  name: "kubernetes-rbac-no-pod-creation-for-all",
  description: "ClusterRoles do not grant the creation of pods.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.1.4"],
  rules: [41],
  remediationSteps: "Use a Role in a namespace.",
  types: [CLUSTER_ROLE],
  check({ inputs }) {
    inputs.at("rules").each((rule) => {
      if (allows(rule, "", "pods", ["create"]))
        rule.reportViolation(
          "Use a Role in a namespace.",
          "a rule that grants pod creation in all namespaces",
        );
    });
  },
});
