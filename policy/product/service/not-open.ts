import { isInternet } from "../../aws/shared/ingress-rules";
import { definePolicy } from "../../core/policy";

const INTERNAL = [
  ["service.beta.kubernetes.io/aws-load-balancer-internal", "true"],
  ["service.beta.kubernetes.io/aws-load-balancer-scheme", "internal"],
] as const;

export const notOpen = definePolicy({
  name: "product-service-not-open",
  description: "LoadBalancer Services of the product are not open to the internet.",
  level: "MUST",
  severity: "critical",
  sources: ["NSA network"],
  rules: ["product"],
  remediationSteps: "Set loadBalancerSourceRanges to your own CIDR ranges, or use an internal load balancer.",
  types: ["kubernetes:core/v1:Service"],
  settings: {
    namespaces: {
      type: "array",
      items: { type: "string" },
      default: ["fleetwright-system"],
      description: "Namespaces whose Services are evaluated.",
    },
  },
  check({ inputs, settings }) {
    if (inputs.at("spec", "type").text() !== "LoadBalancer") return;
    if (!settings.namespaces.includes(inputs.at("metadata", "namespace").text() ?? "default")) return;
    const annotations = inputs.at("metadata", "annotations");
    if (INTERNAL.some(([name, value]) => annotations.at(name).text() === value)) return;
    const ranges = inputs.at("spec", "loadBalancerSourceRanges");
    if (ranges.list().length === 0) ranges.reportViolation("List the CIDR ranges that may connect.");
    ranges.each((range) => {
      if (isInternet(range.text())) range.reportViolation("List the CIDR ranges that may connect.");
    });
  },
});
