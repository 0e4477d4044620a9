import { definePolicy } from "../../core/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../shared/pod-spec";

export const notPrivileged = definePolicy({
  name: "kubernetes-pod-not-privileged",
  description: "Containers are not privileged.",
  level: "MUST",
  severity: "critical",
  sources: ["CIS-K 5.2.2", "CIS-E 4.2.1", "PSS baseline", "NSA pods"],
  rules: [36],
  remediationSteps: "Remove privileged, and add only the capabilities that are needed.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    eachContainer(podOf(resource, inputs), (container) => {
      const privileged = container.at("securityContext", "privileged");
      if (privileged.flag() === true) privileged.reportViolation("Set privileged to false.");
    });
  },
});
