import { definePolicy } from "../../core/policy";
import { BINDINGS } from "../shared/rbac-rules";

export const noClusterAdmin = definePolicy({
  name: "kubernetes-rbac-no-cluster-admin",
  description: "No binding grants cluster-admin.",
  level: "MUST",
  severity: "critical",
  sources: ["CIS-K 5.1.1", "CIS-E 4.1.1"],
  rules: [41],
  remediationSteps: "Bind a role with only the rights that are needed.",
  types: BINDINGS,
  check({ inputs }) {
    const role = inputs.at("roleRef", "name");
    if (role.text() === "cluster-admin")
      role.reportViolation("Bind a role with only the rights that are needed.");
  },
});
