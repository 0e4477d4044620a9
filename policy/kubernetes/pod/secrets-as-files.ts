import { definePolicy } from "../../judge/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../workload";

export const secretsAsFiles = definePolicy({
  name: "kubernetes-pod-secrets-as-files",
  description: "Secrets reach containers as files and not as variables, which end up in logs and dumps.",
  level: "SHOULD",
  severity: "medium",
  sources: ["CIS-K 5.4.1", "CIS-E 4.4.1"],
  rules: [44],
  steps: "Mount the Secret as a volume.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    eachContainer(podOf(resource, inputs), (container) => {
      container.at("env").each((variable) => {
        const reference = variable.at("valueFrom", "secretKeyRef");
        if (reference.isSet)
          reference.refuse("Mount the Secret as a volume.", `the Secret ${reference.at("name").shown()}`);
      });
      container.at("envFrom").each((source) => {
        const reference = source.at("secretRef");
        if (reference.isSet)
          reference.refuse("Mount the Secret as a volume.", `the Secret ${reference.at("name").shown()}`);
      });
    });
  },
});
