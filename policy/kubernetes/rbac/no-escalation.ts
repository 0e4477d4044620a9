import { definePolicy } from "../../judge/policy";
import { ROLES } from "./rules";

const VERBS = ["bind", "escalate", "impersonate"];

export const noEscalation = definePolicy({
  name: "kubernetes-rbac-no-escalation",
  description: "No role lets somebody take more rights than they have.",
  level: "MUST",
  severity: "critical",
  sources: ["CIS-K 5.1.8"],
  rules: [41],
  steps: "Take bind, escalate and impersonate away; whoever hands out roles needs an exemption.",
  types: ROLES,
  check({ inputs }) {
    inputs.at("rules").each((rule) =>
      rule.at("verbs").each((verb) => {
        if (VERBS.includes(verb.text() ?? "")) verb.refuse("Take it away.");
      }),
    );
  },
});
