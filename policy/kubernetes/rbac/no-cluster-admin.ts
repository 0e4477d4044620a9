import { definePolicy } from "../../judge/policy";
import { BINDINGS } from "./rules";

export const noClusterAdmin = definePolicy({
  name: "kubernetes-rbac-no-cluster-admin",
  description: "Nobody is bound to cluster-admin.",
  level: "MUST",
  severity: "critical",
  sources: ["CIS-K 5.1.1", "CIS-E 4.1.1"],
  rules: [41],
  steps: "Bind a role with the rights that are needed.",
  types: BINDINGS,
  check({ inputs }) {
    const role = inputs.at("roleRef", "name");
    if (role.text() === "cluster-admin") role.refuse("Bind a role with the rights that are needed.");
  },
});
