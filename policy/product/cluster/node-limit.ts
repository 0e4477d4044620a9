import { defineStackPolicy } from "../../core/policy";
import { mostNodes, NODES } from "../shared/node-counts";

export const nodeLimit = defineStackPolicy({
  name: "product-cluster-node-limit",
  description: "The number of nodes of a stack, with all pools at their maximum, is within the limit.",
  level: "MUST",
  severity: "medium",
  sources: [],
  rules: ["product"],
  remediationSteps: "Lower the maximum size of pools, or raise the setting most.",
  types: NODES,
  settings: { most: { type: "number", default: 50, description: "Maximum number of nodes of a stack." } },
  check({ stack, settings, each, reportViolation }) {
    let count = 0;
    each(stack.of(...NODES), (resource, outputs) => {
      count += mostNodes(resource, outputs);
    });
    if (count > settings.most)
      reportViolation(
        undefined,
        "the number of nodes",
        `up to ${count}`,
        `Lower the maximum size of pools: ${settings.most} nodes are allowed.`,
      );
  },
});
