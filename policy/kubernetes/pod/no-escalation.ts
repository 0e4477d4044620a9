import { definePolicy } from "../../judge/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../workload";

export const noEscalation = definePolicy({
  name: "kubernetes-pod-no-escalation",
  description: "No process of a container can gain rights that it was not started with.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.2.6", "PSS restricted", "NSA pods"],
  rules: [38],
  steps: "Set securityContext.allowPrivilegeEscalation to false on every container.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    eachContainer(podOf(resource, inputs), (container) => {
      const allowed = container.at("securityContext", "allowPrivilegeEscalation");
      if (allowed.flag() !== false) allowed.refuse("Set allowPrivilegeEscalation to false.");
    });
  },
});
