import { definePolicy } from "../../core/policy";
import { allows, ROLES } from "../shared/rbac-rules";

export const noTokenCreation = definePolicy({
  name: "kubernetes-rbac-no-token-creation",
  description: "Roles do not grant the creation of service account tokens.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.1.13"],
  rules: [41],
  remediationSteps:
    "Use projected volumes, for which the kubelet requests tokens, or list the service account in resourceNames.",
  types: ROLES,
  check({ inputs }) {
    inputs.at("rules").each((rule) => {
      const isNamed = rule.at("resourceNames").list().length > 0;
      if (!isNamed && allows(rule, "", "serviceaccounts/token", ["create"]))
        rule.reportViolation(
          "Set resourceNames.",
          "a rule that grants token creation for any service account",
        );
    });
  },
});
