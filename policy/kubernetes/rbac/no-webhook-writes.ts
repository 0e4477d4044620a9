import { definePolicy } from "../../judge/policy";
import { allows, CLUSTER_ROLE, WRITING } from "./rules";

export const noWebhookWrites = definePolicy({
  name: "kubernetes-rbac-no-webhook-writes",
  description: "No role changes what is admitted to a cluster.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.1.12"],
  rules: [41],
  steps: "Take the writing verbs on webhook configurations away; what installs webhooks needs an exemption.",
  types: [CLUSTER_ROLE],
  check({ inputs }) {
    inputs.at("rules").each((rule) => {
      const isNamed = rule.at("resourceNames").list().length > 0;
      if (!isNamed && allows(rule, "admissionregistration.k8s.io", /webhookconfigurations$/, WRITING))
        rule.refuse(
          "Take the writing verbs away, or name the configuration by resourceNames.",
          "a rule that changes any webhook",
        );
    });
  },
});
