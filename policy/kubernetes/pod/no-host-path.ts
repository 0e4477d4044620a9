import { definePolicy } from "../../core/policy";
import { podOf, WORKLOAD_TYPES } from "../shared/pod-spec";

export const noHostPath = definePolicy({
  name: "kubernetes-pod-no-host-path",
  description: "Pods do not mount hostPath volumes.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.2.11", "PSS baseline"],
  rules: [39],
  remediationSteps:
    "Use another volume type. Software that manages nodes needs an exemption with the exact paths as values.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    podOf(resource, inputs)
      .at("volumes")
      .each((volume) => {
        const path = volume.at("hostPath", "path");
        if (volume.at("hostPath").isSet) path.reportViolation("Use another volume type.");
      });
  },
});
