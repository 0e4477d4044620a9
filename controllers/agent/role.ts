import { joinRules, type PolicyRule, type Role } from "../program/rules";
import type { Part } from "./part";

/** What the program needs whatever controllers run: its events. */
const COMMON_RULES: readonly PolicyRule[] = [
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
];

/** The cluster role of the agent. */
export function rolesOf(parts: readonly Part[]): Role[] {
  return [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: {
        name: "fleetwright-agent",
        labels: {
          "app.kubernetes.io/managed-by": "fleetwright",
          "app.kubernetes.io/part-of": "fleetwright",
          "app.kubernetes.io/component": "agent",
        },
      },
      rules: joinRules([...COMMON_RULES, ...parts.flatMap(({ rules }) => rules)]),
    },
  ];
}
