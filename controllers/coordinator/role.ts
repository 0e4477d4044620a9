// The rights of the coordinator, from what its controllers declare: of the account that it runs as, and of those that it acts as.
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

const LABELS = {
  "app.kubernetes.io/managed-by": "fleetwright",
  "app.kubernetes.io/component": "coordinator",
};
const RBAC = "rbac.authorization.k8s.io";
const apiVersion = `${RBAC}/v1`;

/** The roles of the coordinator with these controllers. */
export function rolesOf(controllers: readonly CoordinatorController[], namespace: string): Role[] {
  const name = "fleetwright-coordinator";
  const accounts = controllers.flatMap((controller) => Object.keys(controller.accounts ?? {}));
  const actsAs: PolicyRule[] =
    accounts.length === 0
      ? []
      : [
          {
            apiGroups: [""],
            resources: ["serviceaccounts"],
            resourceNames: accounts,
            verbs: ["impersonate"],
          },
        ];
  return [
    {
      apiVersion,
      kind: "ClusterRole",
      metadata: { name, labels: LABELS },
      rules: joinRules([...COMMON_RULES, ...controllers.flatMap(({ rules }) => rules)]),
    },
    {
      apiVersion,
      kind: "Role",
      metadata: { name, namespace, labels: LABELS },
      rules: joinRules([
        ...LEASE_RULES,
        ...actsAs,
        ...controllers.flatMap(({ namespacedRules = [] }) => namespacedRules),
      ]),
    },
  ];
}

/** An object that gives an account its rights, or the account itself. */
export interface AccountObject {
  apiVersion: string;
  kind: "ServiceAccount" | "ClusterRole" | "ClusterRoleBinding";
  metadata: { name: string; namespace?: string; labels: Record<string, string> };
  [field: string]: unknown;
}

/** The service accounts that controllers act as, each with exactly the rights that are declared for it. */
export function accountsOf(
  controllers: readonly CoordinatorController[],
  namespace: string,
): AccountObject[] {
  return controllers.flatMap(({ accounts = {} }) =>
    Object.entries(accounts).flatMap(([name, { rules }]): AccountObject[] => {
      const metadata = { name, labels: LABELS };
      return [
        {
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata: { name, namespace, labels: LABELS },
          // No pod runs as it: the coordinator impersonates it.
          automountServiceAccountToken: false,
        },
        { apiVersion, kind: "ClusterRole", metadata, rules: joinRules(rules) },
        {
          apiVersion,
          kind: "ClusterRoleBinding",
          metadata,
          roleRef: { apiGroup: RBAC, kind: "ClusterRole", name },
          subjects: [{ kind: "ServiceAccount", name, namespace }],
        },
      ];
    }),
  );
}
