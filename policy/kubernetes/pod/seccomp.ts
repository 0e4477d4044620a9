import { definePolicy } from "../../core/policy";
import { eachContainer, podOf, securitySetting, WORKLOAD_TYPES } from "../shared/pod-spec";

export const seccomp = definePolicy({
  name: "kubernetes-pod-seccomp",
  description: "Containers run with a seccomp profile.",
  level: "MUST",
  severity: "medium",
  sources: ["CIS-K 5.6.2", "CIS-K 5.6.3", "PSS restricted"],
  rules: [40],
  remediationSteps:
    "Set securityContext.seccompProfile.type to RuntimeDefault on the pod, or to Localhost with a profile of your own.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    const pod = podOf(resource, inputs);
    eachContainer(pod, (container) => {
      const type = securitySetting(pod, container, "seccompProfile", "type");
      if (!["RuntimeDefault", "Localhost"].includes(type.text() ?? ""))
        type.reportViolation("Set seccompProfile.type to RuntimeDefault.");
    });
  },
});
