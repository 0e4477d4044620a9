// The status of a ClusterUpgrade: phase, counts and the Ready condition.
import type { UpgradeObject } from "../kinds";
import { conditionFalse, conditionTrue, type ConditionState } from "../status";
import { preciseTimestamp } from "../timestamp";
import type { UpgradePlan } from "./plan";

type Status = NonNullable<UpgradeObject["status"]>;
type StatusFields = Omit<Status, "conditions" | "observedGeneration">;

const FINAL_PHASES: readonly (Status["phase"] | undefined)[] = ["Succeeded", "Failed", "Aborted"];

/** Whether an upgrade has ended, well or not. */
export function isOver({ status }: Pick<UpgradeObject, "status">): boolean {
  return FINAL_PHASES.includes(status?.phase);
}

/** Whether an upgrade has begun to work on nodes. */
export function hasBegun({ status }: UpgradeObject): boolean {
  return (status?.nodes ?? []).length > 0;
}

/** The Ready condition of an upgrade that has begun. */
export function readyCondition({ phase, message }: UpgradePlan): ConditionState {
  return phase === "Succeeded" ? conditionTrue("Succeeded", message) : conditionFalse(phase, message);
}

/** The status fields of an upgrade that has begun. */
export function statusFields({ status }: UpgradeObject, plan: UpgradePlan, now: number): StatusFields {
  const count = (phase: string): number => plan.nodes.filter((entry) => entry.phase === phase).length;
  return {
    phase: plan.phase,
    startedAt: status?.startedAt,
    completedAt: isOver({ status: plan }) ? preciseTimestamp(now) : undefined,
    total: plan.nodes.length,
    done: count("Done"),
    failed: count("Failed"),
    nodes: plan.nodes,
  };
}
