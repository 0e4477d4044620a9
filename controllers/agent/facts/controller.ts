// Registers the controller for facts about the node.
import type { AgentController } from "../controller-context";
import { ownNode, watchNode } from "../own-node";
import { CONDITIONS } from "./plan";
import { NodeFactsReconciler } from "./reconciler";

/** Labels and conditions of the agent's own Node. */
export const facts: AgentController = {
  name: "facts",
  description:
    "labels of the node that no cloud controller sets; conditions for its state volume and certificates",
  rules: [
    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [""], resources: ["nodes/status"], verbs: ["patch"] },
  ],
  start(context) {
    const { manager, settings } = context;
    const node = ownNode(manager.cache, settings.nodeName);
    const reconciler = new NodeFactsReconciler(context, node);
    const controller = manager.controller({
      name: "facts",
      concurrency: 1,
      reconcile: (_name, reconcileContext) => reconciler.reconcile(reconcileContext),
    });
    watchNode(controller, node, ({ metadata: { uid, labels }, spec, status }) => [
      uid,
      labels,
      spec?.taints,
      (status?.conditions ?? []).filter(({ type }) => CONDITIONS.includes(type)),
    ]);
  },
};
