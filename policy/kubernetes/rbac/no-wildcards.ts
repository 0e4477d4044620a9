import { definePolicy } from "../../core/policy";
import { ROLES } from "../shared/rbac-rules";

export const noWildcards = definePolicy({
  name: "kubernetes-rbac-no-wildcards",
  description: "Roles use no wildcards for verbs, resources or API groups.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.1.3", "CIS-E 4.1.3"],
  rules: [41],
  remediationSteps: "List them: a wildcard also covers what is installed later.",
  types: ROLES,
  check({ inputs }) {
    inputs.at("rules").each((rule) => {
      for (const key of ["verbs", "resources", "apiGroups"]) {
        rule.at(key).each((entry) => {
          if (entry.text() === "*") entry.reportViolation(`List the ${key}.`);
        });
      }
    });
  },
});
