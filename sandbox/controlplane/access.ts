import type { ApiClient } from "./api";
import type { ServerName } from "./options";
import { ADMIN_GROUP, KUBELET_CLIENT_USER, KWOK_USER } from "./pki";

const rbac = "rbac.authorization.k8s.io";

/** What kwok does with nodes and pods as configured in kwok.yaml, and nothing else. */
const kwokRules = [
  { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] },
  { apiGroups: [""], resources: ["nodes/status", "pods/status"], verbs: ["patch", "update"] },
  { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch", "patch", "update", "delete"] },
  { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch", "update"] },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    verbs: ["get", "list", "watch", "create", "patch", "update"],
  },
  // It stands for kubelets, whose pods are in protected namespaces too.
  { apiGroups: ["fleetwright.dev"], resources: ["protectednamespaces"], verbs: ["use"] },
];

/** Gives the identities that we made their rights: the administrators' and, where there are nodes, the API server's on kubelets and kwok's. */
export async function grantAccess(api: ApiClient, server: ServerName): Promise<void> {
  await bind(api, "fleetwright:cluster-admins", "cluster-admin", { kind: "Group", name: ADMIN_GROUP });
  if (server === "hub-apiserver") return;
  await Promise.all([
    bind(api, "fleetwright:kubelet-client", "system:kubelet-api-admin", {
      kind: "User",
      name: KUBELET_CLIENT_USER,
    }),
    api.apply(`/apis/${rbac}/v1/clusterroles/fleetwright:kwok`, {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRole",
      metadata: { name: "fleetwright:kwok" },
      rules: kwokRules,
    }),
    bind(api, "fleetwright:kwok", "fleetwright:kwok", { kind: "User", name: KWOK_USER }),
  ]);
}

async function bind(
  api: ApiClient,
  name: string,
  role: string,
  subject: { kind: "User" | "Group"; name: string },
): Promise<void> {
  await api.apply(`/apis/${rbac}/v1/clusterrolebindings/${name}`, {
    apiVersion: `${rbac}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
    subjects: [{ apiGroup: rbac, ...subject }],
  });
}
