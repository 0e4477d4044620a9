import { definePolicy } from "../../judge/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../workload";

export const notPrivileged = definePolicy({
  name: "kubernetes-pod-not-privileged",
  description: "No container is privileged.",
  level: "MUST",
  severity: "critical",
  sources: ["CIS-K 5.2.2", "CIS-E 4.2.1", "PSS baseline", "NSA pods"],
  rules: [36],
  steps: "Take privileged away and add the single capabilities that are needed.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    eachContainer(podOf(resource, inputs), (container) => {
      const privileged = container.at("securityContext", "privileged");
      if (privileged.flag() === true) privileged.refuse("Set privileged to false.");
    });
  },
});
