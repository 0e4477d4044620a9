import { definePolicy } from "../../judge/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../workload";

const WANTED = [
  ["requests", "cpu"],
  ["requests", "memory"],
  ["limits", "memory"],
] as const;

export const resources = definePolicy({
  name: "kubernetes-pod-resources",
  description: "Containers say what they need, and how much memory they may take at most.",
  level: "SHOULD",
  severity: "low",
  sources: ["NSA resources", "CKV_K8S_10", "CKV_K8S_12", "CKV_K8S_13"],
  rules: [44],
  // A limit of CPU slows a program down without need; it is not asked for.
  steps: "Set requests for cpu and memory, and a limit for memory.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    eachContainer(podOf(resource, inputs), (container) => {
      for (const [kind, what] of WANTED) {
        const value = container.at("resources", kind, what);
        if (!value.isSet) value.refuse(`Set resources.${kind}.${what}.`);
      }
    });
  },
});
