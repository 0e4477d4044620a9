import { definePolicy } from "../../core/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../shared/pod-spec";

export const noEscalation = definePolicy({
  name: "kubernetes-pod-no-escalation",
  description: "Containers do not allow privilege escalation.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.2.6", "PSS restricted", "NSA pods"],
  rules: [38],
  remediationSteps: "Set securityContext.allowPrivilegeEscalation to false on every container.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    eachContainer(podOf(resource, inputs), (container) => {
      const allowed = container.at("securityContext", "allowPrivilegeEscalation");
      if (allowed.flag() !== false) allowed.reportViolation("Set allowPrivilegeEscalation to false.");
    });
  },
});
