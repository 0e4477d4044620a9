// Registers the controller of ClusterUpgrades.
import { GROUP } from "../../../api";
import type { ControllerContext, CoordinatorController } from "../controller-context";
import { UPGRADES } from "../kinds";
import type { Node } from "../native-resources";
import { nodesIn } from "../shared-informers";
import { statusTransform } from "../status";
import { NodeActions } from "./node-actions";
import { OrphanReconciler } from "./orphan-reconciler";
import { ClusterUpgradeReconciler } from "./reconciler";
import { isOver } from "./status";

const CONTROLLER = "upgrades";
const transform = statusTransform(CONTROLLER);
/** A node counts as orphaned only after this long: the status that claims it may not have reached the cache yet. */
const ORPHANED_AFTER_MS = 5000;

/** Upgrades nodes, one ClusterUpgrade at a time. */
export const upgrades: CoordinatorController = {
  name: CONTROLLER,
  description: "upgrades of nodes: preflight, cordon, drain, hand-over to the agent, verify, uncordon",
  rules: [
    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
    { apiGroups: [""], resources: ["pods/eviction"], verbs: ["create"] },
    { apiGroups: [""], resources: ["configmaps"], resourceNames: ["rke2-etcd-snapshots"], verbs: ["get"] },
    { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["list"] },
    { apiGroups: [GROUP], resources: ["clusterupgrades"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [GROUP], resources: ["clusterupgrades/status"], verbs: ["patch"] },
  ],
  start(context: ControllerContext): void {
    const { manager, client } = context;
    const nodes = nodesIn(manager.cache);
    const all = manager.cache.informer(UPGRADES, { transform });
    const actions = new NodeActions(client, `fleetwright-${CONTROLLER}`);

    const reconciler = new ClusterUpgradeReconciler(context, CONTROLLER, all, nodes, actions);
    const unfinished = (): string[] =>
      all
        .list()
        .filter((upgrade) => !isOver(upgrade))
        .map(({ metadata }) => metadata.name);
    manager
      .controller({
        name: CONTROLLER,
        reconcile: (name, reconcileContext) => reconciler.reconcile(name, reconcileContext),
        concurrency: 1,
      })
      .watches(all)
      .watches(all, unfinished)
      .watches(nodes, unfinished);

    const orphans = new OrphanReconciler(all, nodes, actions);
    const { queue } = manager.controller({
      name: `${CONTROLLER}-cordons`,
      reconcile: (name, reconcileContext) => orphans.reconcile(name, reconcileContext),
    });
    const enqueue = (node: Node): void => {
      if (OrphanReconciler.isMarked(node)) queue.addAfter(node.metadata.name, ORPHANED_AFTER_MS);
    };
    nodes.onChange(({ after }) => {
      if (after !== undefined) enqueue(after);
    });
    all.onChange(() => nodes.list().forEach(enqueue));
  },
};
