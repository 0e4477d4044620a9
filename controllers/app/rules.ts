// RBAC rules of controllers, merged into the few rules of a role.

/** A rule of a ClusterRole. */
export interface PolicyRule {
  apiGroups: readonly string[];
  resources: readonly string[];
  verbs: readonly string[];
  resourceNames?: readonly string[];
}

/** A cluster role or role as it is applied. */
export interface Role {
  apiVersion: string;
  kind: "ClusterRole" | "Role";
  metadata: { name: string; namespace?: string; labels: Record<string, string> };
  rules: PolicyRule[];
}

/**
 * Merges rules into as few as possible: verbs of the same resource, then resources with the same verbs. Refuses
 * wildcards, because nobody can say what they will mean tomorrow.
 */
export function joinRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const byResource = new Map<string, Set<string>>();
  for (const { apiGroups, resources, verbs, resourceNames } of rules) {
    for (const word of [...apiGroups, ...resources, ...verbs, ...(resourceNames ?? [])])
      if (word.includes("*")) throw new Error(`A rule has ${JSON.stringify(word)}: name each one instead.`);
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
  const [x, y] = [ORDER.indexOf(a), ORDER.indexOf(b)].map((index) => (index === -1 ? ORDER.length : index));
  return (x ?? 0) - (y ?? 0) || (a < b ? -1 : 1);
}
