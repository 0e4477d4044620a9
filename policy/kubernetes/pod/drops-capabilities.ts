import { definePolicy } from "../../core/policy";
import { eachContainer, podOf, WORKLOAD_TYPES } from "../shared/pod-spec";

export const dropsCapabilities = definePolicy({
  name: "kubernetes-pod-drops-capabilities",
  description: "Containers drop all capabilities and add back none but NET_BIND_SERVICE.",
  level: "MUST",
  severity: "high",
  sources: ["CIS-K 5.2.8", "CIS-K 5.2.9", "PSS restricted"],
  rules: [38],
  remediationSteps:
    'Set capabilities.drop to ["ALL"]. Adding another capability needs an exemption with its name as value; NET_RAW, for example, allows spoofing other pods.',
  types: WORKLOAD_TYPES,
  settings: {
    allowed: {
      type: "array",
      items: { type: "string" },
      default: ["NET_BIND_SERVICE"],
      description: "Capabilities that may be added.",
    },
  },
  check({ resource, inputs, settings }) {
    eachContainer(podOf(resource, inputs), (container) => {
      const { drop, add } = {
        drop: container.at("securityContext", "capabilities", "drop"),
        add: container.at("securityContext", "capabilities", "add"),
      };
      if (!drop.texts().some((name) => name.toUpperCase() === "ALL"))
        drop.reportViolation('Set capabilities.drop to ["ALL"].');
      add.each((name) => {
        const text = name.text()?.toUpperCase().replace(/^CAP_/, "") ?? "";
        if (!settings.allowed.includes(text))
          name.reportViolation(`Remove it. Allowed: ${settings.allowed.join(", ")}.`);
      });
    });
  },
});
