import type { Part, PolicyRule } from "./part";

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

/** A cluster role or role as it is applied. */
export interface Role {
  apiVersion: string;
  kind: "ClusterRole" | "Role";
  metadata: { name: string; namespace?: string; labels: Record<string, string> };
  rules: PolicyRule[];
}

/**
 * The rules of all parts as few rules: verbs of the same resource are joined, then resources of the same verbs. Refuses
 * a wildcard, because nobody can say what it will mean tomorrow.
 */
export function joinRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const byResource = new Map<string, Set<string>>();
  for (const { apiGroups, resources, verbs, resourceNames } of rules) {
    for (const word of [...apiGroups, ...resources, ...verbs, ...(resourceNames ?? [])])
      if (word.includes("*")) throw new Error(`A rule has ${JSON.stringify(word)}: name what is meant.`);
    for (const group of apiGroups) {
      for (const resource of resources) {
        const key = JSON.stringify([group, resource, [...(resourceNames ?? [])].sort()]);
        const known = byResource.get(key) ?? new Set();
        for (const verb of verbs) known.add(verb);
        byResource.set(key, known);
      }
    }
  }
  const byVerbs = new Map<string, PolicyRule & { resources: string[] }>();
  for (const [key, verbs] of [...byResource].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [group, resource, names] = JSON.parse(key) as [string, string, string[]];
    const sorted = [...verbs].sort(byCustom);
    const shared = JSON.stringify([group, names, sorted]);
    const known = byVerbs.get(shared);
    if (known !== undefined) known.resources.push(resource);
    else
      byVerbs.set(shared, {
        apiGroups: [group],
        resources: [resource],
        ...(names.length === 0 ? {} : { resourceNames: names }),
        verbs: sorted,
      });
  }
  return [...byVerbs.values()];
}

const ORDER = ["get", "list", "watch", "create", "update", "patch", "delete"];
function byCustom(a: string, b: string): number {
  const [x, y] = [ORDER.indexOf(a), ORDER.indexOf(b)].map((place) => (place === -1 ? ORDER.length : place));
  return (x ?? 0) - (y ?? 0) || (a < b ? -1 : 1);
}

/** The roles of the coordinator with these parts. */
export function rolesOf(parts: readonly Part[], namespace: string): Role[] {
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
      rules: joinRules([...COMMON_RULES, ...parts.flatMap(({ rules }) => rules)]),
    },
    {
      apiVersion,
      kind: "Role",
      metadata: { name, namespace, labels },
      rules: joinRules([...LEASE_RULES, ...parts.flatMap(({ homeRules = [] }) => homeRules)]),
    },
  ];
}
