// The ClusterRole of the agent, made of what its controllers declare.
import { joinRules, type PolicyRule, type Role } from "../app/rules";
import type { AgentController } from "./controller-context";

/** What the program needs regardless of which controllers run: to record events, and to ask who may read its metrics. */
const COMMON_RULES: readonly PolicyRule[] = [
  { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
];

/** The cluster role of the agent. */
export function rolesOf(controllers: readonly AgentController[]): Role[] {
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
      rules: joinRules([...COMMON_RULES, ...controllers.flatMap(({ rules }) => rules)]),
    },
  ];
}
