// Registers the controller of ClusterLabels and NodePoolLabels.
import { GROUP } from "../../../api";
import type { Informer } from "../../runtime";
import type { ControllerContext, CoordinatorController } from "../controller-context";
import { ALLOW_DELETION, type DeletionGuard } from "../../app/deletion-guard";
import { CLUSTER_LABELS, NODE_POOL_LABELS } from "../kinds";
import type { Node } from "../native-resources";
import { nodesIn } from "../shared-informers";
import { hasDeclarationChanged, statusTransform } from "../../app/status";
import { DeclarationReconciler } from "./declaration-reconciler";
import { Declarations } from "./declarations";
import type { LabelObject } from "./plan";
import { NodeLabelReconciler } from "./reconciler";

const CONTROLLER = "labels";
/** Statuses count nodes; while many nodes change they are written at most this often. */
const STATUS_INTERVAL_MS = 1000;
const transform = statusTransform(CONTROLLER);

/** Keeps the labels under our two prefixes on every node exactly as they are declared. */
export const labels: CoordinatorController = {
  name: CONTROLLER,
  description: "cluster labels and node pool labels on nodes",
  rules: [
    { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch", "patch"] },
    {
      apiGroups: [GROUP],
      resources: ["clusterlabels", "nodepoollabels"],
      verbs: ["get", "list", "watch", "patch"],
    },
    { apiGroups: [GROUP], resources: ["clusterlabels/status", "nodepoollabels/status"], verbs: ["patch"] },
  ],
  start(context: ControllerContext): void {
    const { manager, client, concurrency } = context;
    const nodes = nodesIn(manager.cache);
    const clusterLabels = manager.cache.informer(CLUSTER_LABELS, { transform });
    const poolLabels = manager.cache.informer(NODE_POOL_LABELS, { transform });
    const declarations = new Declarations(clusterLabels, poolLabels);

    const reconciler = new NodeLabelReconciler(client, `fleetwright-${CONTROLLER}`, nodes, declarations);
    const { queue } = manager
      .controller({
        name: `${CONTROLLER}-nodes`,
        concurrency,
        reconcile: (name, reconcileContext) => reconciler.reconcile(name, reconcileContext),
      })
      .watches(nodes);
    declarations.onChange(() => {
      for (const node of nodes.list()) queue.add(node.metadata.name);
    });

    startDeclarationReconciler(context, nodes, declarations, clusterLabels, declarations.guards.cluster);
    startDeclarationReconciler(context, nodes, declarations, poolLabels, declarations.guards.pool);
  },
};

function startDeclarationReconciler<T extends LabelObject>(
  { manager, client }: ControllerContext,
  nodes: Informer<Node>,
  declarations: Declarations,
  informer: Informer<T>,
  guard: DeletionGuard<T>,
): void {
  const reconciler = new DeclarationReconciler(client, CONTROLLER, nodes, declarations, informer, guard);
  const { queue } = manager.controller({
    name: `${CONTROLLER}-${informer.resource.plural}`,
    reconcile: (name, context) => reconciler.reconcile(name, context),
  });
  const enqueueAll = (): void => {
    for (const { metadata } of informer.list()) queue.addAfter(metadata.name, STATUS_INTERVAL_MS);
  };
  nodes.onChange(({ before, after }) => {
    if (before?.metadata.labels !== after?.metadata.labels && !sameLabels(before, after)) enqueueAll();
  });
  informer.onChange(({ key, before, after }) => {
    // Our own counts in status must not wake us at once, or they would be written as fast as the server takes them.
    if (hasDeclarationChanged(before, after)) queue.add(key);
    else queue.addAfter(key, STATUS_INTERVAL_MS);
    if (before === undefined || after === undefined || deletionMarks(before) !== deletionMarks(after))
      enqueueAll();
  });
}

// What affects other labels too: whether it is being deleted, and whether that is confirmed.
function deletionMarks({ metadata }: LabelObject): string {
  return `${metadata.deletionTimestamp ?? ""} ${metadata.annotations?.[ALLOW_DELETION] ?? ""}`;
}

// The kubelet writes its node all the time; only the labels matter here.
function sameLabels(a: Node | undefined, b: Node | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    JSON.stringify(a.metadata.labels) === JSON.stringify(b.metadata.labels)
  );
}
