import { definePolicy } from "../../judge/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../workload";

export const dropsCapabilities = definePolicy({
  name: "kubernetes-pod-drops-capabilities",
  description: "Containers give up all capabilities, and take back none but the one to open low ports.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.2.8", "CIS-K 5.2.9", "PSS restricted"],
  rules: [38],
  steps:
    'Set capabilities.drop to ["ALL"]. What is added back needs an exemption with its name as the value; NET_RAW lets a pod pose as another.',
  types: WORKLOAD_TYPES,
  settings: {
    allowed: {
      type: "array",
      items: { type: "string" },
      default: ["NET_BIND_SERVICE"],
      description: "Capabilities that may be added back.",
    },
  },
  check({ resource, inputs, settings }) {
    eachContainer(podOf(resource, inputs), (container) => {
      const { drop, add } = {
        drop: container.at("securityContext", "capabilities", "drop"),
        add: container.at("securityContext", "capabilities", "add"),
      };
      if (!drop.texts().some((name) => name.toUpperCase() === "ALL"))
        drop.refuse('Set capabilities.drop to ["ALL"].');
      add.each((name) => {
        const text = name.text()?.toUpperCase().replace(/^CAP_/, "") ?? "";
        if (!settings.allowed.includes(text))
          name.refuse(`Take it away; allowed are ${settings.allowed.join(", ")}.`);
      });
    });
  },
});
