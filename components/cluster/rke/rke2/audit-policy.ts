import { yaml } from "../../yaml";

/** Where the API server finds what it is to write down. */
export const AUDIT_POLICY_FILE = "/etc/rancher/rke2/audit-policy.yaml";

const CORE = "";

/**
 * Who did what, without what was in it where that may be secret. Reads by the control plane itself and by probes are left
 * out: they are most of the lines and say nothing.
 */
export function auditPolicy(): string {
  return yaml({
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived"],
    rules: [
      { level: "None", nonResourceURLs: ["/healthz*", "/livez*", "/readyz*", "/version", "/openapi*"] },
      { level: "None", verbs: ["get", "list", "watch"], users: ["system:kube-proxy"] },
      {
        level: "None",
        verbs: ["get", "list", "watch"],
        userGroups: ["system:nodes", "system:serviceaccounts:kube-system"],
      },
      { level: "None", resources: [{ group: "coordination.k8s.io", resources: ["leases"] }] },
      {
        level: "Metadata",
        resources: [
          { group: CORE, resources: ["secrets", "configmaps", "serviceaccounts/token"] },
          { group: "authentication.k8s.io", resources: ["tokenreviews"] },
          { group: "fleetwright.dev", resources: ["registries"] },
        ],
      },
      { level: "Metadata", verbs: ["get", "list", "watch"] },
      { level: "Request", verbs: ["create", "update", "patch", "delete", "deletecollection"] },
      { level: "Metadata" },
    ],
  });
}
