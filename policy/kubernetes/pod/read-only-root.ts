import { definePolicy } from "../../judge/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../workload";

export const readOnlyRoot = definePolicy({
  name: "kubernetes-pod-read-only-root",
  description: "Containers cannot change their own files.",
  level: "MUST",
  severity: "medium",
  sources: ["NSA pods", "CKV_K8S_22"],
  rules: [38],
  steps: "Set readOnlyRootFilesystem to true, and mount an emptyDir where the program has to write.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    eachContainer(podOf(resource, inputs), (container) => {
      const readOnly = container.at("securityContext", "readOnlyRootFilesystem");
      if (readOnly.flag() !== true) readOnly.refuse("Set readOnlyRootFilesystem to true.");
    });
  },
});
