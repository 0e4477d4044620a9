import { definePolicy } from "../../judge/policy";
import { eachContainer, podOf, securitySetting, WORKLOAD_TYPES } from "../workload";

export const runsAsNonRoot = definePolicy({
  name: "kubernetes-pod-runs-as-non-root",
  description: "No container runs as root.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.2.7", "PSS restricted", "NSA pods"],
  rules: [38],
  steps: "Set securityContext.runAsNonRoot to true, and runAsUser where the image names no user.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    const pod = podOf(resource, inputs);
    eachContainer(pod, (container) => {
      const user = securitySetting(pod, container, "runAsUser");
      const nonRoot = securitySetting(pod, container, "runAsNonRoot");
      if (user.number() === 0) user.refuse("Set runAsUser to another user than root.");
      else if (nonRoot.flag() !== true) nonRoot.refuse("Set runAsNonRoot to true.");
    });
  },
});
