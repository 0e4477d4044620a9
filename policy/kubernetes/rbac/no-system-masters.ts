import { definePolicy } from "../../core/policy";
import { BINDINGS } from "../shared/rbac-rules";

export const noSystemMasters = definePolicy({
  name: "kubernetes-rbac-no-system-masters",
  description: "No binding uses the group system:masters.",
  level: "MUST",
  severity: "critical",
  sources: ["CIS-K 5.1.7", "CIS-E 4.1.7"],
  rules: [41],
  remediationSteps:
    "Bind a role to a group of your own. With EKS access entries the ConfigMap aws-auth is not needed.",
  types: [...BINDINGS, "kubernetes:core/v1:ConfigMap"],
  check({ resource, inputs }) {
    if (BINDINGS.includes(resource.type)) {
      inputs.at("subjects").each((subject) => {
        const name = subject.at("name");
        if (name.text() === "system:masters") name.reportViolation("Use a group of your own.");
      });
    } else if (inputs.at("metadata", "name").text() === "aws-auth") {
      for (const [key, value] of inputs.at("data").fields()) {
        if (value.text()?.includes("system:masters") === true)
          value.reportViolation("Use EKS access entries instead.", `text with system:masters in ${key}`);
      }
    }
  },
});
