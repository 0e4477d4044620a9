// Decides which native RBAC objects stand for ours. Pure functions.
import { isProtectedNamespace, NATIVE_PREFIX, USERS_NAMESPACE } from "../../../api";
import { derivedName } from "../derived-name";
import { equal } from "../../runtime";
import type { RoleBindingObject, RoleObject } from "../kinds";
import { ownLabels } from "../../app/ownership";
import { uncovered } from "./coverage";
import { objectionsTo, type Ceiling, type Objection, type Rule } from "./escalation";
import { RBAC_GROUP, type ClusterRole, type NativeBinding, type Subject } from "./rbac-resources";

/** As in labels and field managers. */
export const CONTROLLER = "authorization";
/** On a native object: the name of the object of ours that it stands for. */
export const STANDS_FOR = "fleetwright.dev/stands-for";

/** Where a role is given: everywhere, in one namespace, in a protected one as little as everywhere, in that of people's accounts not at all. */
export type Place = "cluster" | "namespace" | "protected" | "closed";

/** What kind of place a binding gives its role in. */
export function placeOf(
  namespace: string | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): Place {
  if (namespace === undefined) return "cluster";
  if (namespace === USERS_NAMESPACE) return "closed";
  return isProtectedNamespace(namespace, labels) ? "protected" : "namespace";
}

/** The name of the native object that stands for one of ours. */
export function nativeName(name: string): string {
  return derivedName(NATIVE_PREFIX, name);
}

/** The ClusterRole for a role. One that is refused grants nothing. */
export function clusterRoleFor({ metadata: { name }, spec }: RoleObject, ceiling: Ceiling): ClusterRole {
  const refused = objectionsTo(spec.rules, ceiling).some(({ where }) => where === "anywhere");
  return {
    metadata: { name: nativeName(name), labels: ownLabels(CONTROLLER), annotations: { [STANDS_FOR]: name } },
    rules: refused ? [] : spec.rules.map(withoutEmpty),
    // Somebody else's aggregation would write the rules in our place.
    aggregationRule: undefined,
  };
}

/** Whether a ClusterRole would give more than it gives now. */
export function givesMore(wanted: ClusterRole, live: ClusterRole | undefined): boolean {
  return uncovered(wanted.rules ?? [], live?.rules ?? []).length > 0;
}

/** Whether a native binding gives its role in another place or to somebody else than the wanted one does. */
export function givesElsewhere(live: NativeBinding, wanted: NativeBinding): boolean {
  const { namespace = "", name } = wanted.metadata;
  return (
    live.metadata.name !== name ||
    (live.metadata.namespace ?? "") !== namespace ||
    !equal(live.roleRef, wanted.roleRef) ||
    (live.subjects ?? []).some((subject) => !(wanted.subjects ?? []).some((other) => equal(other, subject)))
  );
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

/** What speaks against giving a role in a place. */
export function objectionsToPlace(
  place: Place,
  { spec: { rules } }: RoleObject,
  ceiling: Ceiling,
): Objection[] {
  return objectionsTo(rules, ceiling).filter(({ where }) => where === "anywhere" || place !== "namespace");
}

/** The name of the object of ours that a native one stands for, as a key. */
export function ownerOf(annotations: Readonly<Record<string, string>> | undefined): string[] {
  const name = annotations?.[STANDS_FOR];
  return name === undefined ? [] : [name];
}
