// The conditions of Registries.
import { conditionFalse, conditionTrue, type ConditionState } from "../../app/status";
import type { Coverage } from "./registry-state";

/** The Ready condition of a Registry whose credentials are valid. */
export function coverageCondition({ ready, total, foreign }: Coverage): ConditionState {
  if (foreign.length > 0)
    return conditionFalse(
      "ForeignObject",
      `In ${foreign.slice(0, 5).join(", ")}${foreign.length > 5 ? " and others" : ""} a Secret of the same name exists, is not managed by Fleetwright and is left alone: delete it, or rename this Registry.`,
    );
  return ready === total
    ? conditionTrue("InPlace", `The pull secret is in all ${total} namespaces.`)
    : conditionFalse("Spreading", `The pull secret is in ${ready} of ${total} namespaces.`);
}
