import { definePolicy } from "../../core/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../shared/pod-spec";

const WANTED = [
  ["requests", "cpu"],
  ["requests", "memory"],
  ["limits", "memory"],
] as const;

export const resources = definePolicy({
  name: "kubernetes-pod-resources",
  description: "Containers have CPU and memory requests and a memory limit.",
  level: "SHOULD",
  severity: "low",
  sources: ["NSA resources", "CKV_K8S_10", "CKV_K8S_12", "CKV_K8S_13"],
  rules: [44],
  // A limit of CPU slows a program down without need; it is not asked for.
  remediationSteps: "Set resources.requests for cpu and memory, and resources.limits for memory.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    eachContainer(podOf(resource, inputs), (container) => {
      for (const [kind, what] of WANTED) {
        const value = container.at("resources", kind, what);
        if (!value.isSet) value.reportViolation(`Set resources.${kind}.${what}.`);
      }
    });
  },
});
