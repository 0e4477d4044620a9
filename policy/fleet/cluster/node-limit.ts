import { defineStackPolicy } from "../../judge/policy";
import { mostNodes, NODES } from "./nodes";

export const nodeLimit = defineStackPolicy({
  name: "fleet-cluster-node-limit",
  description: "A stack has no more nodes than was agreed, even if autoscalers do their worst.",
  level: "MUST",
  severity: "medium",
  sources: [],
  rules: ["product"],
  steps: "Lower the pools' max, or raise the setting most.",
  types: NODES,
  settings: { most: { type: "number", default: 50, description: "The most nodes of a stack." } },
  check({ stack, settings, each, refuse }) {
    let count = 0;
    each(stack.of(...NODES), (resource, outputs) => {
      count += mostNodes(resource, outputs);
    });
    if (count > settings.most)
      refuse(
        undefined,
        "the number of nodes",
        `up to ${count}`,
        `Lower the pools' max: ${settings.most} are allowed.`,
      );
  },
});
