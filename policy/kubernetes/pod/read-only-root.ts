import { definePolicy } from "../../core/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../shared/pod-spec";

export const readOnlyRoot = definePolicy({
  name: "kubernetes-pod-read-only-root",
  description: "Containers have a read-only root filesystem.",
  level: "MUST",
  severity: "medium",
  sources: ["NSA pods", "CKV_K8S_22"],
  rules: [38],
  remediationSteps: "Set readOnlyRootFilesystem to true, and mount an emptyDir where the program writes.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    eachContainer(podOf(resource, inputs), (container) => {
      const readOnly = container.at("securityContext", "readOnlyRootFilesystem");
      if (readOnly.flag() !== true) readOnly.reportViolation("Set readOnlyRootFilesystem to true.");
    });
  },
});
