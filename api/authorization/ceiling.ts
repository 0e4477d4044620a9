// What AuthorizationRoles may give, as the rules of two ClusterRoles. The accounts that write native roles and bindings hold
// exactly these, and neither `escalate` nor `bind`, so the API server's own check refuses what is not listed here.
//
// Left out on purpose, until an administrator raises the ceiling: Secrets, tokens of service accounts, impersonation, writes on
// RBAC, CustomResourceDefinitions, PersistentVolumes, nodes, namespaces, endpoints and quotas, nodes/proxy and nodes/status,
// admission, certificates, APIServices, objects of other groups (Helm charts of RKE2 among them), writes on our own kinds.
import { GROUP, PLURALS } from "../names";

/** A rule of RBAC. */
export interface RoleRule {
  /** The API groups of `resources`; `""` is the core group. @default [] */
  apiGroups?: string[];
  /** The resources, such as `pods` or `pods/log`. @default [] */
  resources?: string[];
  /** Names of single objects. @default all */
  resourceNames?: string[];
  /** Paths of the API server that are no resources. @default [] */
  nonResourceURLs?: string[];
  verbs: string[];
}

/** What an administrator lets roles give besides. */
export interface RaisedCeiling {
  /** Rights that roles may give everywhere. @default [] @example [{ apiGroups: ["cert-manager.io"], resources: ["certificates"], verbs: ["get", "list", "watch"] }] */
  cluster?: RoleRule[];
  /** Rights that roles may give in single namespaces, other than protected ones. @default [] @example [{ apiGroups: [""], resources: ["secrets"], verbs: ["get", "create", "patch", "delete"] }] */
  namespaces?: RoleRule[];
}

/** The ClusterRole with what a role may hold, and what a binding may give in a namespace. */
export const NAMESPACE_CEILING = "fleetwright-authorization-ceiling";
/** The ClusterRole with what a binding may give in the whole cluster and in protected namespaces. */
export const CLUSTER_CEILING = "fleetwright-authorization-cluster-ceiling";

/** The API group of RBAC. */
export const RBAC_GROUP = "rbac.authorization.k8s.io";

const READ = ["get", "list", "watch"];
const CHANGE = ["create", "update", "patch"];
const REMOVE = ["delete", "deletecollection"];
const WRITE = [...CHANGE, ...REMOVE];
const SCALE = ["get", "update", "patch"];

const on = (group: string, resources: string[], verbs: string[]): RoleRule => ({
  apiGroups: [group],
  resources,
  verbs,
});

/** Whatever runs pods: who may change it acts as every service account of the namespace. */
const WORKLOADS: readonly (readonly [group: string, resources: readonly string[]])[] = [
  ["", ["podtemplates", "replicationcontrollers"]],
  ["apps", ["daemonsets", "deployments", "replicasets", "statefulsets"]],
  ["batch", ["cronjobs", "jobs"]],
];
const SCALED: readonly (readonly [group: string, resources: readonly string[]])[] = [
  ["", ["replicationcontrollers"]],
  ["apps", ["deployments", "replicasets", "statefulsets"]],
];

/** Harmless enough everywhere. Protected namespaces are closed to writes by an admission policy. */
const EVERYWHERE: readonly RoleRule[] = [
  on(
    "",
    [
      "configmaps",
      "endpoints",
      "events",
      "limitranges",
      "namespaces",
      "nodes",
      "persistentvolumeclaims",
      "persistentvolumeclaims/status",
      "persistentvolumes",
      "pods",
      "pods/log",
      "pods/status",
      "resourcequotas",
      "resourcequotas/status",
      "serviceaccounts",
      "services",
      "services/status",
    ],
    READ,
  ),
  on("", ["configmaps", "persistentvolumeclaims", "services"], WRITE),
  on("", ["pods"], REMOVE),
  on("", ["pods/eviction"], ["create"]),
  ...WORKLOADS.map(([group, resources]) => on(group, [...resources], [...READ, ...REMOVE])),
  ...WORKLOADS.map(([group, resources]) =>
    on(
      group,
      resources.filter((resource) => resource !== "podtemplates").map((resource) => `${resource}/status`),
      READ,
    ),
  ),
  ...SCALED.map(([group, resources]) =>
    on(
      group,
      resources.map((resource) => `${resource}/scale`),
      SCALE,
    ),
  ),
  on("apps", ["controllerrevisions"], READ),
  on("autoscaling", ["horizontalpodautoscalers"], [...READ, ...WRITE]),
  on("autoscaling", ["horizontalpodautoscalers/status"], READ),
  on("coordination.k8s.io", ["leases"], READ),
  on("discovery.k8s.io", ["endpointslices"], READ),
  on("events.k8s.io", ["events"], READ),
  on("metrics.k8s.io", ["nodes", "pods"], READ),
  on("networking.k8s.io", ["ingresses", "networkpolicies"], [...READ, ...WRITE]),
  on("networking.k8s.io", ["ingressclasses", "ingresses/status"], READ),
  on("node.k8s.io", ["runtimeclasses"], READ),
  on("policy", ["poddisruptionbudgets"], [...READ, ...WRITE]),
  on("policy", ["poddisruptionbudgets/status"], READ),
  on("scheduling.k8s.io", ["priorityclasses"], READ),
  on("storage.k8s.io", ["csidrivers", "csinodes", "csistoragecapacities", "storageclasses"], READ),
  on("apiextensions.k8s.io", ["customresourcedefinitions"], READ),
  on(RBAC_GROUP, ["clusterrolebindings", "clusterroles", "rolebindings", "roles"], READ),
  on(GROUP, Object.values(PLURALS), READ),
  {
    nonResourceURLs: [
      ...["/api", "/apis", "/healthz", "/livez", "/openapi", "/readyz"].flatMap((path) => [
        path,
        `${path}/*`,
      ]),
      "/metrics",
      "/version",
      "/version/",
    ],
    verbs: ["get"],
  },
];

/** Only in single namespaces: with these one acts as any service account of the namespace, or reaches into its pods. */
const IN_NAMESPACES: readonly RoleRule[] = [
  on("", ["pods", "serviceaccounts"], WRITE),
  on("", ["pods/attach", "pods/exec", "pods/portforward"], ["get", "create"]),
  on("", ["pods/proxy", "services/proxy"], ["get", ...WRITE]),
  on("", ["pods/ephemeralcontainers", "pods/resize"], ["get", "update", "patch"]),
  ...WORKLOADS.map(([group, resources]) => on(group, [...resources], CHANGE)),
  on("coordination.k8s.io", ["leases"], WRITE),
];

/** The rules of the ceiling's ClusterRoles, by their names. */
export function ceilingRules({ cluster = [], namespaces = [] }: RaisedCeiling = {}): Record<
  string,
  RoleRule[]
> {
  const everywhere = [...EVERYWHERE, ...cluster];
  return {
    [NAMESPACE_CEILING]: [...everywhere, ...IN_NAMESPACES, ...namespaces],
    [CLUSTER_CEILING]: everywhere,
  };
}
