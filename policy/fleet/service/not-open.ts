import { isWorld } from "../../aws/ec2/open-doors";
import { definePolicy } from "../../judge/policy";

const INTERNAL = [
  ["service.beta.kubernetes.io/aws-load-balancer-internal", "true"],
  ["service.beta.kubernetes.io/aws-load-balancer-scheme", "internal"],
] as const;

export const notOpen = definePolicy({
  name: "fleet-service-not-open",
  description: "Services of the product are not open to the whole world.",
  level: "MUST",
  severity: "critical",
  sources: ["NSA network"],
  rules: ["product"],
  steps: "Set loadBalancerSourceRanges to your own ranges, or make the load balancer an internal one.",
  types: ["kubernetes:core/v1:Service"],
  settings: {
    namespaces: {
      type: "array",
      items: { type: "string" },
      default: ["fleetwright-system"],
      description: "Namespaces whose services are judged.",
    },
  },
  check({ inputs, settings }) {
    if (inputs.at("spec", "type").text() !== "LoadBalancer") return;
    if (!settings.namespaces.includes(inputs.at("metadata", "namespace").text() ?? "default")) return;
    const annotations = inputs.at("metadata", "annotations");
    if (INTERNAL.some(([name, value]) => annotations.at(name).text() === value)) return;
    const ranges = inputs.at("spec", "loadBalancerSourceRanges");
    if (ranges.list().length === 0) ranges.refuse("Name the ranges that may come in.");
    ranges.each((range) => {
      if (isWorld(range.text())) range.refuse("Name the ranges that may come in.");
    });
  },
});
