import { definePolicy } from "../../core/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../shared/pod-spec";

export const secretsAsFiles = definePolicy({
  name: "kubernetes-pod-secrets-as-files",
  description: "Secrets are mounted as files, not set as environment variables.",
  level: "SHOULD",
  severity: "medium",
  sources: ["CIS-K 5.4.1", "CIS-E 4.4.1"],
  rules: [44],
  remediationSteps: "Mount the Secret as a volume: environment variables end up in logs and crash dumps.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    eachContainer(podOf(resource, inputs), (container) => {
      container.at("env").each((variable) => {
        const reference = variable.at("valueFrom", "secretKeyRef");
        if (reference.isSet)
          reference.reportViolation(
            "Mount the Secret as a volume.",
            `the Secret ${reference.at("name").shown()}`,
          );
      });
      container.at("envFrom").each((source) => {
        const reference = source.at("secretRef");
        if (reference.isSet)
          reference.reportViolation(
            "Mount the Secret as a volume.",
            `the Secret ${reference.at("name").shown()}`,
          );
      });
    });
  },
});
