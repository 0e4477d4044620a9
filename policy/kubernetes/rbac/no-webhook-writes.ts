import { definePolicy } from "../../core/policy";
import { allows, CLUSTER_ROLE, WRITING } from "../shared/rbac-rules";

export const noWebhookWrites = definePolicy({
  name: "kubernetes-rbac-no-webhook-writes",
  description: "Roles do not grant write access to admission webhook configurations.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.1.12"],
  rules: [41],
  remediationSteps: "Remove the write verbs. Software that installs webhooks needs an exemption.",
  types: [CLUSTER_ROLE],
  check({ inputs }) {
    inputs.at("rules").each((rule) => {
      const isNamed = rule.at("resourceNames").list().length > 0;
      if (!isNamed && allows(rule, "admissionregistration.k8s.io", /webhookconfigurations$/, WRITING))
        rule.reportViolation(
          "Remove the write verbs, or set resourceNames.",
          "a rule that grants write access to webhook configurations",
        );
    });
  },
});
