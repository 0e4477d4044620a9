import { definePolicy } from "../../core/policy";
import { eachContainer, podOf, securitySetting, WORKLOAD_TYPES } from "../shared/pod-spec";

export const runsAsNonRoot = definePolicy({
  name: "kubernetes-pod-runs-as-non-root",
  description: "Containers do not run as root.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.2.7", "PSS restricted", "NSA pods"],
  rules: [38],
  remediationSteps: "Set securityContext.runAsNonRoot to true, and runAsUser if the image sets no user.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    const pod = podOf(resource, inputs);
    eachContainer(pod, (container) => {
      const user = securitySetting(pod, container, "runAsUser");
      const nonRoot = securitySetting(pod, container, "runAsNonRoot");
      if (user.number() === 0) user.reportViolation("Set runAsUser to a user other than root.");
      else if (nonRoot.flag() !== true) nonRoot.reportViolation("Set runAsNonRoot to true.");
    });
  },
});
