import { definePolicy } from "../../judge/policy";
import { allows, LISTING, ROLES, WRITING } from "./rules";

export const noNodeProxy = definePolicy({
  name: "kubernetes-rbac-no-node-proxy",
  description: "No role leads past the API server to the kubelets.",
  level: "MUST",
  severity: "critical",
  sources: ["CIS-K 5.1.10"],
  rules: [41],
  steps: "Take nodes/proxy away; metrics have nodes/metrics and nodes/stats of their own.",
  types: ROLES,
  check({ inputs }) {
    inputs.at("rules").each((rule) => {
      if (allows(rule, "", "nodes/proxy", [...LISTING, ...WRITING]))
        rule.refuse("Take nodes/proxy away.", "a rule that allows nodes/proxy");
    });
  },
});
