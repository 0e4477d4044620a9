import { definePolicy } from "../../judge/policy";
import { ROLES } from "./rules";

export const noWildcards = definePolicy({
  name: "kubernetes-rbac-no-wildcards",
  description: "Roles name the verbs, resources and groups that they are about.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.1.3", "CIS-E 4.1.3"],
  rules: [41],
  steps: "Write them out: a wildcard also gives what is only installed later.",
  types: ROLES,
  check({ inputs }) {
    inputs.at("rules").each((rule) => {
      for (const key of ["verbs", "resources", "apiGroups"]) {
        rule.at(key).each((entry) => {
          if (entry.text() === "*") entry.refuse(`Write out the ${key}.`);
        });
      }
    });
  },
});
