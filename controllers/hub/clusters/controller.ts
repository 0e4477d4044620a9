// Registers the controller of Clusters.
import { GROUP, VERSION } from "../../../api";
import { CLUSTER_NAMESPACE_PREFIX } from "../../../api/hub";
import { StatusWriter } from "../../app/status";
import { LEASES } from "../../runtime";
import { HEARTBEAT } from "../../syncer/names";
import type { HubContext, HubController } from "../controller-context";
import { clustersIn, sharesIn } from "../informers";
import { CLUSTERS, type ImportObject } from "../kinds";
import { ClusterReconciler } from "./reconciler";
import { HUB_RULES, SYNCER_RULES } from "./rights";

const CONTROLLER = "clusters";
const STATUS_INTERVAL_MS = 1000;
const RBAC = "rbac.authorization.k8s.io";

/** Keeps each cluster's namespace, rights and conditions. */
export const clusters: HubController = {
  name: CONTROLLER,
  description: "clusters: their namespaces, rights, heartbeats and ends",
  rules: [
    { apiGroups: [GROUP], resources: ["clusters"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [GROUP], resources: ["clusters/status"], verbs: ["patch"] },
    { apiGroups: [GROUP], resources: ["shares"], verbs: ["get", "list", "watch", "patch", "delete"] },
    { apiGroups: [GROUP], resources: ["apiresourceimports"], verbs: ["get", "list", "watch"] },
    { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "create", "delete"] },
    {
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions"],
      resourceNames: [`${CLUSTERS.plural}.${GROUP}`],
      verbs: ["get"],
    },
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "list", "watch", "patch"] },
    {
      apiGroups: [RBAC],
      resources: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
      verbs: ["get", "create", "patch", "delete"],
    },
    // Nobody may give rights that he does not have.
    ...HUB_RULES,
    ...SYNCER_RULES,
  ],
  start({ manager, client, recorder, concurrency, heartbeatSeconds, endWithinMs }: HubContext): void {
    const { cache } = manager;
    const informer = clustersIn(cache);
    const leases = cache.informer(LEASES, { fieldSelector: `metadata.name=${HEARTBEAT}` });
    const shares = sharesIn(cache);
    const imports = cache.informer<ImportObject>({
      group: GROUP,
      version: VERSION,
      kind: "APIResourceImport",
      plural: "apiresourceimports",
      namespaced: false,
    });
    imports.addIndex("cluster", ({ spec }) => [spec.cluster]);
    const reconciler = new ClusterReconciler({
      client,
      clusters: informer,
      leases,
      shares,
      imports,
      recorder,
      status: new StatusWriter(client, CLUSTERS, CONTROLLER),
      heartbeatSeconds,
      endWithinMs,
    });
    const { queue } = manager
      .controller({
        name: CONTROLLER,
        concurrency,
        reconcile: (name, context) => reconciler.reconcile(name, context),
      })
      .watches(informer);
    leases.onChange(({ key }) => {
      const name = clusterOf(key.split("/", 1)[0]);
      if (name !== undefined) queue.add(name);
    });
    shares.onChange(({ key }) => {
      const name = clusterOf(key.split("/", 1)[0]);
      if (name !== undefined) queue.addAfter(name, STATUS_INTERVAL_MS);
    });
    imports.onChange(({ before, after }) => {
      for (const one of [before, after])
        if (one !== undefined) queue.addAfter(one.spec.cluster, STATUS_INTERVAL_MS);
    });
  },
};

function clusterOf(namespace: string | undefined): string | undefined {
  return namespace?.startsWith(CLUSTER_NAMESPACE_PREFIX) === true
    ? namespace.slice(CLUSTER_NAMESPACE_PREFIX.length)
    : undefined;
}
