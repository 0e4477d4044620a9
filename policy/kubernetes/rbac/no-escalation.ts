import { definePolicy } from "../../core/policy";
import { ROLES } from "../shared/rbac-rules";

const VERBS = ["bind", "escalate", "impersonate"];

export const noEscalation = definePolicy({
  name: "kubernetes-rbac-no-escalation",
  description: "Roles do not grant bind, escalate or impersonate.",
  level: "MUST",
  severity: "critical",
  sources: ["CIS-K 5.1.8"],
  rules: [41],
  remediationSteps: "Remove these verbs. A controller that manages roles needs an exemption.",
  types: ROLES,
  check({ inputs }) {
    inputs.at("rules").each((rule) =>
      rule.at("verbs").each((verb) => {
        if (VERBS.includes(verb.text() ?? "")) verb.reportViolation("Remove the verb.");
      }),
    );
  },
});
