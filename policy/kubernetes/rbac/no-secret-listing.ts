import { definePolicy } from "../../core/policy";
import { allows, CLUSTER_ROLE, LISTING } from "../shared/rbac-rules";

export const noSecretListing = definePolicy({
  name: "kubernetes-rbac-no-secret-listing",
  description: "ClusterRoles do not grant read access to all Secrets.",
  level: "MUST",
  severity: "critical",
  sources: ["CIS-K 5.1.2", "CIS-E 4.1.2"],
  rules: [41],
  remediationSteps:
    "Use a Role in a namespace, or list the Secrets in resourceNames. A controller that manages Secrets in every namespace needs an exemption.",
  types: [CLUSTER_ROLE],
  check({ inputs }) {
    inputs.at("rules").each((rule) => {
      if (rule.at("resourceNames").list().length > 0 || !allows(rule, "", "secrets", LISTING)) return;
      rule.reportViolation(
        "Use a Role in a namespace, or set resourceNames.",
        "a rule that grants read access to all Secrets",
      );
    });
  },
});
