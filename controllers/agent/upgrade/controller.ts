// Registers the controller for upgrades of this node.
import { GROUP } from "../../../api/names";
import type { AgentController } from "../controller-context";
import { ownNode, watchNode } from "../own-node";
import { NodeUpgradeReconciler } from "./reconciler";

/** A download may take long; it has timeouts of its own. */
const DEADLINE_MS = 3_600_000;

/** Upgrades this node when the coordinator orders it by an annotation of the Node. */
export const upgrade: AgentController = {
  name: "upgrade",
  description: "runs the installer of a ClusterUpgrade on the node when the coordinator orders it",
  rules: [
    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [GROUP], resources: ["clusterupgrades"], verbs: ["get"] },
  ],
  start(context) {
    const { manager, settings } = context;
    const node = ownNode(manager.cache, settings.nodeName);
    const reconciler = new NodeUpgradeReconciler(context, node);
    const controller = manager.controller({
      name: "upgrade",
      concurrency: 1,
      deadlineMs: DEADLINE_MS,
      reconcile: (_name, reconcileContext) => reconciler.reconcile(reconcileContext),
    });
    watchNode(controller, node, ({ metadata: { uid, annotations } }) => [uid, annotations]);
  },
};
