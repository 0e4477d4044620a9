import { definePolicy } from "../../judge/policy";
import { allows, CLUSTER_ROLE, LISTING } from "./rules";

export const noSecretListing = definePolicy({
  name: "kubernetes-rbac-no-secret-listing",
  description: "No role lets all Secrets of a cluster be read.",
  level: "MUST",
  severity: "critical",
  sources: ["CIS-K 5.1.2", "CIS-E 4.1.2"],
  rules: [41],
  steps:
    "Give a Role in a namespace, or name the Secrets by resourceNames. A controller that keeps Secrets in every namespace needs an exemption.",
  types: [CLUSTER_ROLE],
  check({ inputs }) {
    inputs.at("rules").each((rule) => {
      if (rule.at("resourceNames").list().length > 0 || !allows(rule, "", "secrets", LISTING)) return;
      rule.refuse("Give a Role in a namespace, or resourceNames.", "a rule that reads all Secrets");
    });
  },
});
