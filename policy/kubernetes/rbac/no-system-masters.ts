import { definePolicy } from "../../judge/policy";
import { BINDINGS } from "./rules";

export const noSystemMasters = definePolicy({
  name: "kubernetes-rbac-no-system-masters",
  description: "Nobody is put into the group that nothing can be denied to.",
  level: "MUST",
  severity: "critical",
  sources: ["CIS-K 5.1.7", "CIS-E 4.1.7"],
  rules: [41],
  steps:
    "Bind a role to a group of your own; the config map aws-auth is not needed where access entries are used.",
  types: [...BINDINGS, "kubernetes:core/v1:ConfigMap"],
  check({ resource, inputs }) {
    if (BINDINGS.includes(resource.type)) {
      inputs.at("subjects").each((subject) => {
        const name = subject.at("name");
        if (name.text() === "system:masters") name.refuse("Bind a group of your own.");
      });
    } else if (inputs.at("metadata", "name").text() === "aws-auth") {
      for (const [key, value] of inputs.at("data").fields()) {
        if (value.text()?.includes("system:masters") === true)
          value.refuse("Use access entries of EKS instead.", `text with system:masters in ${key}`);
      }
    }
  },
});
