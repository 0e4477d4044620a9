import { STATE_MOUNT } from "../scripts/prepare-volume";
import { yaml } from "../../yaml";

/** Where RKE2 finds objects to apply. */
export const NODE_RIGHTS_FILE = `${STATE_MOUNT}/rke2/server/manifests/fleetwright-node-rights.yaml`;

/**
 * Lets a node take itself out of the cluster when its machine is to end. The rule names all nodes, and the admission plugin
 * NodeRestriction, which RKE2 always runs, narrows it down to the node that asks.
 */
export function nodeRights(): string {
  const metadata = {
    name: "fleetwright-node-leaves",
    labels: { "app.kubernetes.io/managed-by": "fleetwright" },
  };
  const group = "rbac.authorization.k8s.io";
  return [
    yaml({
      apiVersion: `${group}/v1`,
      kind: "ClusterRole",
      metadata,
      rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["delete"] }],
    }),
    yaml({
      apiVersion: `${group}/v1`,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: group, kind: "ClusterRole", name: metadata.name },
      subjects: [{ apiGroup: group, kind: "Group", name: "system:nodes" }],
    }),
  ].join("---\n");
}
