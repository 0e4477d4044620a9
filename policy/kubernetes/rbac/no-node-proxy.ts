import { definePolicy } from "../../core/policy";
import { allows, LISTING, ROLES, WRITING } from "../shared/rbac-rules";

export const noNodeProxy = definePolicy({
  name: "kubernetes-rbac-no-node-proxy",
  description: "Roles do not grant nodes/proxy, which bypasses the API server.",
  level: "MUST",
  severity: "critical",
  sources: ["CIS-K 5.1.10"],
  rules: [41],
  remediationSteps: "Remove nodes/proxy. For metrics use nodes/metrics and nodes/stats.",
  types: ROLES,
  check({ inputs }) {
    inputs.at("rules").each((rule) => {
      if (allows(rule, "", "nodes/proxy", [...LISTING, ...WRITING]))
        rule.reportViolation("Remove nodes/proxy.", "a rule that grants nodes/proxy");
    });
  },
});
