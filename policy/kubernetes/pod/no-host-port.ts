import { definePolicy } from "../../core/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../shared/pod-spec";

export const noHostPort = definePolicy({
  name: "kubernetes-pod-no-host-port",
  description: "Containers do not use host ports.",
  level: "MUST",
  severity: "medium",
  sources: ["CIS-K 5.2.12", "PSS baseline"],
  rules: [39],
  remediationSteps: "Remove hostPort and use a Service.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    eachContainer(podOf(resource, inputs), (container) =>
      container.at("ports").each((port) => {
        const taken = port.at("hostPort");
        if ((taken.number() ?? 0) !== 0) taken.reportViolation("Remove hostPort and use a Service.");
      }),
    );
  },
});
