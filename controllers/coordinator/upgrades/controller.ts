// Registers the controllers of ClusterUpgrades.
import { GROUP } from "../../../api";
import type { ControllerContext, CoordinatorController } from "../controller-context";
import { UPGRADES, type UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import { namespacesIn, nodesIn } from "../shared-informers";
import { statusTransform } from "../../app/status";
import { ControlPlaneReader } from "./control-plane-reader";
import { Latest } from "./latest";
import { NodeActions } from "./node-actions";
import { UpgradeNodeReconciler } from "./node-reconciler";
import { OrphanReconciler } from "./orphan-reconciler";
import { ClusterUpgradeReconciler } from "./reconciler";
import { isOver } from "./status";
import { isControlPlane } from "./versions";

const CONTROLLER = "upgrades";
const transform = statusTransform(CONTROLLER);
/** A node counts as orphaned only after this long: the status that claims it may not have reached the cache yet. */
const ORPHANED_AFTER_MS = 5000;
/** As many nodes as an upgrade may have in work: each waits mostly for the server. */
const MAX_UNAVAILABLE = 50;
/** Changes of nodes come in bunches; one look at all of them costs as much as one at each. */
const NODE_CHANGE_MS = 20;

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
    // When the kubelets of servers were last heard of.
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get"] },
    { apiGroups: [GROUP], resources: ["clusterupgrades"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [GROUP], resources: ["clusterupgrades/status"], verbs: ["patch"] },
  ],
  namespacedRules: [
    { apiGroups: [""], resources: ["configmaps"], resourceNames: ["fleetwright-stack"], verbs: ["get"] },
  ],
  start(context: ControllerContext): void {
    const { manager, client, evictor } = context;
    const nodeCache = nodesIn(manager.cache);
    const namespaces = namespacesIn(manager.cache);
    const all = manager.cache.informer(UPGRADES, { transform });
    const nodes = new Latest<Node>(nodeCache);
    const latest = new Latest<UpgradeObject>(all);
    const actions = new NodeActions(client, `fleetwright-${CONTROLLER}`, nodes);

    const labelsOf = (namespace: string): Readonly<Record<string, string>> =>
      namespaces.get(namespace)?.metadata.labels ?? {};
    const controlPlane = new ControlPlaneReader(client, () =>
      nodeCache
        .list()
        .filter(isControlPlane)
        .map(({ metadata }) => metadata.name),
    );
    const nodeReconciler = new UpgradeNodeReconciler({
      client,
      evictor,
      upgrades: latest,
      nodes,
      actions,
      controlPlane,
      labelsOf,
      onProgress: (upgrade) => controller.queue.add(upgrade),
    });
    const perNode = manager
      .controller({
        name: `${CONTROLLER}-nodes`,
        reconcile: (name, reconcileContext) => nodeReconciler.reconcile(name, reconcileContext),
        concurrency: MAX_UNAVAILABLE,
      })
      .watches(nodeCache, () => [])
      .watches(namespaces, () => []);
    const reconciler = new ClusterUpgradeReconciler(context, CONTROLLER, {
      upgrades: latest,
      nodes,
      actions,
      drains: nodeReconciler,
      controlPlane,
      workOn: (node) => perNode.queue.add(node),
      labelsOf,
    });
    const controller = manager
      .controller({
        name: CONTROLLER,
        reconcile: (name, reconcileContext) => reconciler.reconcile(name, reconcileContext),
        concurrency: 1,
      })
      .watches(all)
      .watches(all, () => unfinished())
      // Waited for; what they are watched for is below.
      .watches(nodeCache, () => [])
      .watches(namespaces, () => []);
    const unfinished = (): string[] =>
      all
        .list()
        .filter((upgrade) => !isOver(upgrade))
        .map(({ metadata }) => metadata.name);
    nodeCache.onChange(({ before, after }) => {
      if (marksOf(before) === marksOf(after)) return;
      for (const name of unfinished()) controller.queue.addAfter(name, NODE_CHANGE_MS);
    });

    const orphans = new OrphanReconciler(latest, nodes, actions);
    const { queue } = manager.controller({
      name: `${CONTROLLER}-cordons`,
      reconcile: (name, reconcileContext) => orphans.reconcile(name, reconcileContext),
    });
    const enqueue = (node: Node): void => {
      if (OrphanReconciler.isMarked(node)) queue.addAfter(node.metadata.name, ORPHANED_AFTER_MS);
    };
    nodeCache.onChange(({ after }) => {
      if (after !== undefined) enqueue(after);
    });
    all.onChange(({ after }) => {
      // While it works on nodes it looks after them itself.
      if (after === undefined || isOver(after)) nodeCache.list().forEach(enqueue);
    });
  },
};

/** What an upgrade looks at in a node: what else changes, such as heartbeats, is no reason to look again. */
function marksOf(node: Node | undefined): string {
  return JSON.stringify([
    node?.metadata.uid,
    node?.metadata.labels,
    node?.metadata.annotations,
    node?.spec?.unschedulable,
    node?.status?.nodeInfo?.kubeletVersion,
    node?.status?.conditions?.map(({ type, status }) => [type, status]),
  ]);
}
