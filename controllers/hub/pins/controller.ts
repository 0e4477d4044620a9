// Registers the controller of pinned objects: what carries the label fleetwright.dev/cluster becomes a Share.
import { GROUP } from "../../../api";
import { CLUSTER_PIN_LABEL } from "../../../api/hub";
import { Discovery, dropManagedFields, type KubernetesObject, type Resource } from "../../runtime";
import { PLACEABLE } from "../../workload";
import type { HubContext, HubController } from "../controller-context";
import { clustersIn, rootId, sharesIn } from "../informers";
import { PinReconciler } from "./reconciler";
import { Roots } from "./roots";
import { ShareWriter } from "./share-writer";
import { Sweeper } from "./sweeper";

const AUTOSCALERS: Resource = {
  group: "autoscaling",
  version: "v2",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  namespaced: true,
};

const KINDS_MS = 300_000;

/** Places what a label pins to a cluster. */
export const pins: HubController = {
  name: "pins",
  description: `objects with the label ${CLUSTER_PIN_LABEL}, of every kind that can be placed`,
  rules: [
    {
      apiGroups: [GROUP],
      resources: ["shares"],
      verbs: ["get", "list", "watch", "create", "patch", "delete"],
    },
    { apiGroups: [GROUP], resources: ["clusters"], verbs: ["get", "list", "watch"] },
    {
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions"],
      verbs: ["get", "list", "watch"],
    },
    ...PLACEABLE.flatMap(({ group, plural }) => [
      { apiGroups: [group], resources: [plural], verbs: ["get", "list", "watch", "patch"] },
      { apiGroups: [group], resources: [`${plural}/status`], verbs: ["patch"] },
    ]),
  ],
  start({ manager, client, recorder, concurrency }: HubContext): void {
    const { cache } = manager;
    const shares = sharesIn(cache);
    const clusters = clustersIn(cache);
    const autoscalers = cache.informer<KubernetesObject>(AUTOSCALERS, { transform: dropManagedFields });
    const discovery = new Discovery(manager.reader);
    const roots = new Roots(cache, discovery, (id) => controller.queue.add(id));
    const writer = new ShareWriter(client, recorder);
    const reconciler = new PinReconciler({
      client,
      roots,
      shares,
      clusters,
      autoscalers,
      writer,
      sweeper: new Sweeper(shares, discovery, writer),
      recorder,
    });
    const controller = manager.controller({
      name: "pins",
      concurrency,
      reconcile: (id, context) => reconciler.reconcile(id, context),
    });
    controller.watches(shares, ({ spec }) => [rootId(spec.root)]);
    // What names a cluster that is not there waits for it; what is there goes on when the cluster goes.
    clusters.onChange(({ key, before, after }) => {
      const isAnother = before?.metadata.uid !== after?.metadata.uid;
      const ends = before?.metadata.deletionTimestamp !== after?.metadata.deletionTimestamp;
      if (isAnother || ends) for (const id of roots.pinnedTo(key)) controller.queue.add(id);
    });
    // An autoscaler says for its target that replicas are its own.
    autoscalers.onChange(({ before, after }) => {
      for (const one of [before, after]) {
        const target = one === undefined ? undefined : targetOf(one);
        if (target !== undefined) controller.queue.add(rootId(target));
      }
    });
    // Which kinds the hub has built in is asked until it answers; those of definitions are watched.
    manager
      .controller({
        name: "pins-kinds",
        reconcile: async (_key, { signal }) => {
          await roots.followBuiltIn(signal);
          return { requeueAfterMs: KINDS_MS };
        },
      })
      .queue.add("built-in");
  },
};

interface RootOfShare {
  apiVersion: string;
  kind: string;
  namespace?: string | undefined;
  name: string;
}

function targetOf(autoscaler: KubernetesObject): RootOfShare | undefined {
  const spec = Reflect.get(autoscaler, "spec") as { scaleTargetRef?: Partial<RootOfShare> } | undefined;
  const { apiVersion = "", kind = "", name = "" } = spec?.scaleTargetRef ?? {};
  return name === "" ? undefined : { apiVersion, kind, name, namespace: autoscaler.metadata.namespace };
}
