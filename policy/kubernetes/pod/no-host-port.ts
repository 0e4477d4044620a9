import { definePolicy } from "../../judge/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../workload";

export const noHostPort = definePolicy({
  name: "kubernetes-pod-no-host-port",
  description: "No container takes a port of its node.",
  level: "MUST",
  severity: "medium",
  sources: ["CIS-K 5.2.12", "PSS baseline"],
  rules: [39],
  steps: "Take hostPort away and use a Service.",
  types: WORKLOAD_TYPES,
  check({ resource, inputs }) {
    eachContainer(podOf(resource, inputs), (container) =>
      container.at("ports").each((port) => {
        const taken = port.at("hostPort");
        if ((taken.number() ?? 0) !== 0) taken.refuse("Take hostPort away and use a Service.");
      }),
    );
  },
});
