import { definePolicy } from "../../judge/policy";
import { podOf, WORKLOAD_TYPES } from "../workload";

export const noHostPath = definePolicy({
  name: "kubernetes-pod-no-host-path",
  description: "No pod mounts files of its node.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.2.11", "PSS baseline"],
  rules: [39],
  steps:
    "Use a volume of another kind. What truly works on the node needs an exemption with the exact paths as values.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    podOf(resource, inputs)
      .at("volumes")
      .each((volume) => {
        const path = volume.at("hostPath", "path");
        if (volume.at("hostPath").isSet) path.refuse("Use a volume of another kind.");
      });
  },
});
