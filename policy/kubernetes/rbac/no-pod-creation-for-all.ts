import { definePolicy } from "../../judge/policy";
import { allows, CLUSTER_ROLE } from "./rules";

export const noPodCreationForAll = definePolicy({
  name: "kubernetes-rbac-no-pod-creation-for-all",
  description: "No role for everybody makes pods in every namespace.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.1.4"],
  rules: [41],
  steps: "Give a Role in a namespace.",
  types: [CLUSTER_ROLE],
  check({ inputs }) {
    inputs.at("rules").each((rule) => {
      if (allows(rule, "", "pods", ["create"]))
        rule.refuse("Give a Role in a namespace.", "a rule that makes pods anywhere");
    });
  },
});
