// What the syncer of one cluster may do on the hub: in its own namespace, and nothing in another's. Pure.
import { GROUP } from "../../../api";
import { clusterNamespace, clusterUser } from "../../../api/hub";
import type { PolicyRule } from "../../app/rules";
import type { Resource } from "../../runtime";
import { HEARTBEAT } from "../../syncer/names";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES, type RbacObject } from "../kinds";

/** The role of every syncer on the whole hub: to know the hub again, and to have its certificate renewed. */
export const HUB_ROLE = "fleetwright:cluster";
const SYNCER_ROLE = "fleetwright-syncer";
const RBAC = "rbac.authorization.k8s.io";
const LABELS = { "app.kubernetes.io/managed-by": "fleetwright", "fleetwright.dev/controller": "clusters" };

/** The rights of a syncer in the namespace of its cluster. */
export const SYNCER_RULES: readonly PolicyRule[] = [
  { apiGroups: [GROUP], resources: ["shares"], verbs: ["get", "list", "watch", "patch"] },
  { apiGroups: [GROUP], resources: ["shares/status"], verbs: ["patch"] },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: [HEARTBEAT],
    verbs: ["get", "patch"],
  },
];

/** Its rights outside: one namespace's name and UID, and requests for certificates, which somebody else approves. */
export const HUB_RULES: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["namespaces"], resourceNames: ["kube-system"], verbs: ["get"] },
  { apiGroups: ["certificates.k8s.io"], resources: ["certificatesigningrequests"], verbs: ["create", "get"] },
];

/** An object of RBAC and where it belongs. */
export interface Right {
  resource: Resource<RbacObject>;
  object: RbacObject;
}

/** Everything that gives the syncer of a cluster its rights. */
export function rightsOf(cluster: string): Right[] {
  const namespace = clusterNamespace(cluster);
  const subjects = [{ apiGroup: RBAC, kind: "User", name: clusterUser(cluster) }];
  return [
    {
      resource: CLUSTER_ROLES,
      object: { metadata: { name: HUB_ROLE, labels: LABELS }, rules: HUB_RULES },
    },
    {
      resource: CLUSTER_ROLE_BINDINGS,
      object: {
        metadata: { name: clusterUser(cluster), labels: LABELS },
        roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: HUB_ROLE },
        subjects,
      },
    },
    {
      resource: ROLES,
      object: { metadata: { name: SYNCER_ROLE, namespace, labels: LABELS }, rules: SYNCER_RULES },
    },
    {
      resource: ROLE_BINDINGS,
      object: {
        metadata: { name: SYNCER_ROLE, namespace, labels: LABELS },
        roleRef: { apiGroup: RBAC, kind: "Role", name: SYNCER_ROLE },
        subjects,
      },
    },
  ];
}
