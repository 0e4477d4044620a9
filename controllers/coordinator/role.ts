import { joinRules, type PolicyRule, type Role } from "../app/rules";
import type { CoordinatorController } from "./controller-context";

/** What the program needs whatever controllers run: its lease and its events. */
export const COMMON_RULES: readonly PolicyRule[] = [
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
];

/** What it needs in its own namespace only. */
export const LEASE_RULES: readonly PolicyRule[] = [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: ["fleetwright-coordinator"],
    verbs: ["get", "update"],
  },
];

/** The roles of the coordinator with these controllers. */
export function rolesOf(controllers: readonly CoordinatorController[], namespace: string): Role[] {
  const labels = {
    "app.kubernetes.io/managed-by": "fleetwright",
    "app.kubernetes.io/component": "coordinator",
  };
  const name = "fleetwright-coordinator";
  const apiVersion = "rbac.authorization.k8s.io/v1";
  return [
    {
      apiVersion,
      kind: "ClusterRole",
      metadata: { name, labels },
      rules: joinRules([...COMMON_RULES, ...controllers.flatMap(({ rules }) => rules)]),
    },
    {
      apiVersion,
      kind: "Role",
      metadata: { name, namespace, labels },
      rules: joinRules([
        ...LEASE_RULES,
        ...controllers.flatMap(({ namespacedRules = [] }) => namespacedRules),
      ]),
    },
  ];
}
