// The Ready conditions of AuthorizationRoles and AuthorizationRoleBindings.
import type { RoleObject } from "../kinds";
import { conditionFalse, conditionTrue, type ConditionState } from "../../app/status";
import { describeObjections, objectionsTo, type Ceiling } from "./escalation";
import { nativeName } from "./plan";

/** The Ready condition of a role. `foreign`: its ClusterRole exists and is not ours. */
export function roleCondition(
  { spec }: RoleObject,
  ceiling: Ceiling,
  clusterRole: string,
  foreign: boolean,
): ConditionState {
  if (foreign) return foreignCondition("ClusterRole", clusterRole, "role");
  const objections = objectionsTo(spec.rules, ceiling).filter(({ where }) => where === "anywhere");
  if (objections.length > 0) return conditionFalse("Refused", describeObjections(objections));
  return conditionTrue("InPlace", `The ClusterRole ${clusterRole} has these rules.`);
}

/** The Ready condition of a binding whose native binding was kept. */
export function bindingCondition(
  role: string,
  native: { kind: string; name: string },
  foreign: boolean,
): ConditionState {
  return foreign
    ? foreignCondition(native.kind, native.name, "binding")
    : conditionTrue("InPlace", `The ${native.kind} ${native.name} grants the role ${nativeName(role)}.`);
}

function foreignCondition(kind: string, name: string, what: "role" | "binding"): ConditionState {
  return conditionFalse(
    "ForeignObject",
    `The ${kind} ${name} exists, is not managed by Fleetwright and is left alone: delete it, or rename this ${what}.`,
  );
}
