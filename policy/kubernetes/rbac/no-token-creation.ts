import { definePolicy } from "../../judge/policy";
import { allows, ROLES } from "./rules";

export const noTokenCreation = definePolicy({
  name: "kubernetes-rbac-no-token-creation",
  description: "No role makes tokens of service accounts.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.1.13"],
  rules: [41],
  steps: "Let the kubelet make them (projected volumes), or name the one account by resourceNames.",
  types: ROLES,
  check({ inputs }) {
    inputs.at("rules").each((rule) => {
      const isNamed = rule.at("resourceNames").list().length > 0;
      if (!isNamed && allows(rule, "", "serviceaccounts/token", ["create"]))
        rule.refuse("Name the account by resourceNames.", "a rule that makes tokens of any service account");
    });
  },
});
