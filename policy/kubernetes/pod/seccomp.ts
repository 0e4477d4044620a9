import { definePolicy } from "../../judge/policy";
import { eachContainer, podOf, securitySetting, WORKLOAD_TYPES } from "../workload";

export const seccomp = definePolicy({
  name: "kubernetes-pod-seccomp",
  description: "Containers can call only what the runtime's filter of system calls lets through.",
  level: "MUST",
  severity: "medium",
  sources: ["CIS-K 5.6.2", "CIS-K 5.6.3", "PSS restricted"],
  rules: [40],
  steps:
    "Set securityContext.seccompProfile.type to RuntimeDefault on the pod, or Localhost with a profile of your own.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    const pod = podOf(resource, inputs);
    eachContainer(pod, (container) => {
      const type = securitySetting(pod, container, "seccompProfile", "type");
      if (!["RuntimeDefault", "Localhost"].includes(type.text() ?? ""))
        type.refuse("Set seccompProfile.type to RuntimeDefault.");
    });
  },
});
