// Decides which native RBAC objects stand for ours. Pure functions.
import { derivedName } from "../derived-name";
import type { RoleBindingObject, RoleObject } from "../kinds";
import { ownLabels } from "../ownership";
import { objectionsTo, type Objection, type Rule } from "./escalation";
import { RBAC_GROUP, type ClusterRole, type NativeBinding, type Subject } from "./rbac-resources";

/** As in labels and field managers. */
export const CONTROLLER = "authorization";
/** On a native object: the name of the object of ours that it stands for. */
export const STANDS_FOR = "fleetwright.dev/stands-for";

/** The name of the native object that stands for one of ours. */
export function nativeName(name: string): string {
  return derivedName("fleetwright:", name);
}

/** The ClusterRole for a role. One that is refused grants nothing. */
export function clusterRoleFor({ metadata: { name }, spec }: RoleObject): ClusterRole {
  const refused = objectionsTo(spec.rules).some(({ where }) => where === "anywhere");
  return {
    metadata: { name: nativeName(name), labels: ownLabels(CONTROLLER), annotations: { [STANDS_FOR]: name } },
    rules: refused ? [] : spec.rules.map(withoutEmpty),
    // Somebody else's aggregation would write the rules in our place.
    aggregationRule: undefined,
  };
}

// The API server leaves empty lists out; so do we, or there would always be a difference.
function withoutEmpty(rule: Rule): Rule {
  const entries = Object.entries(rule).filter(([, list]) => Array.isArray(list) && list.length > 0);
  return { verbs: rule.verbs, ...Object.fromEntries(entries) };
}

/** The native binding for a binding: in its namespace, or in the whole cluster; `subjects` get the role. */
export function nativeBindingFor(
  { metadata: { name }, spec: { role, namespace } }: RoleBindingObject,
  subjects: readonly Subject[],
): NativeBinding {
  return {
    metadata: {
      name: nativeName(name),
      ...(namespace === undefined ? {} : { namespace }),
      labels: ownLabels(CONTROLLER),
      annotations: { [STANDS_FOR]: name },
    },
    roleRef: { apiGroup: RBAC_GROUP, kind: "ClusterRole", name: nativeName(role) },
    subjects: [...subjects],
  };
}

/** What speaks against granting a role where the binding grants it. */
export function objectionsToBinding(
  { spec: { namespace } }: RoleBindingObject,
  { spec: { rules } }: RoleObject,
  home: string,
): Objection[] {
  const isCluster = namespace === undefined || namespace === "kube-system" || namespace === home;
  return objectionsTo(rules).filter(({ where }) => where === "anywhere" || isCluster);
}

/** The name of the object of ours that a native one stands for, as a key. */
export function ownerOf(annotations: Readonly<Record<string, string>> | undefined): string[] {
  const name = annotations?.[STANDS_FOR];
  return name === undefined ? [] : [name];
}
