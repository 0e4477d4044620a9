// The status of a ClusterUpgrade: phase, counts, the Ready condition, and when a change of it is worth a write.
import type { NodeUpgradeStatus } from "../../../api";
import type { UpgradeObject } from "../kinds";
import { conditionFalse, conditionTrue, type ConditionState } from "../../app/status";
import { preciseTimestamp } from "../timestamp";
import type { UpgradePlan } from "./plan";

type Status = NonNullable<UpgradeObject["status"]>;
type StatusFields = Omit<Status, "conditions" | "observedGeneration">;

const FINAL_PHASES: readonly (Status["phase"] | undefined)[] = ["Succeeded", "Failed", "Aborted"];
/** The time in work is written by itself only so often: whoever leads next takes it up from there. */
const SECONDS_STEP = 300;

/** Whether an upgrade has ended, well or not. */
export function isOver({ status }: Pick<UpgradeObject, "status">): boolean {
  return FINAL_PHASES.includes(status?.phase);
}

/** Whether an upgrade has begun to work on nodes. */
export function hasBegun({ status }: UpgradeObject): boolean {
  return status?.startedAt !== undefined;
}

/** The Ready condition of an upgrade that has begun. */
export function readyCondition({ phase, reason = phase, message }: UpgradePlan): ConditionState {
  return phase === "Succeeded" ? conditionTrue("Succeeded", message) : conditionFalse(reason, message);
}

/** The status fields of an upgrade that has begun. */
export function statusFields({ status }: UpgradeObject, plan: UpgradePlan, now: number): StatusFields {
  return {
    phase: plan.phase,
    startedAt: status?.startedAt ?? preciseTimestamp(now),
    completedAt: isOver({ status: plan }) ? preciseTimestamp(now) : undefined,
    total: plan.total,
    done: plan.done,
    failed: plan.nodes.filter(({ phase }) => phase === "Failed").length,
    nodes: plan.nodes,
  };
}

/**
 * What a change of status is worth. A step of a node has to be written before it is taken. Words that only people read can
 * wait a little and go with the next step; the time in work is no change at all, unless it is long.
 */
export function changeOf(
  { status, metadata }: UpgradeObject,
  fields: StatusFields,
  ready: ConditionState,
): "none" | "words" | "step" {
  const steps = ({ phase, startedAt, nodes = [] }: StatusFields): string =>
    JSON.stringify([phase, startedAt, nodes.map((entry) => [entry.name, entry.phase, entry.startedAt])]);
  if (status === undefined || steps(status) !== steps(fields)) return "step";
  const condition = status.conditions?.find(({ type }) => type === "Ready");
  const words = (
    { total, done, failed, nodes = [] }: StatusFields,
    told: Pick<ConditionState, "reason" | "message"> | undefined,
    generation: number | undefined,
  ): string =>
    JSON.stringify([total, done, failed, nodes.map(withoutTimes), told?.reason, told?.message, generation]);
  if (words(status, condition, status.observedGeneration) !== words(fields, ready, metadata.generation))
    return "words";
  const before = status.nodes ?? [];
  const isLong = (fields.nodes ?? []).some(
    ({ secondsInWork = 0 }, index) => secondsInWork - (before[index]?.secondsInWork ?? 0) >= SECONDS_STEP,
  );
  return isLong ? "words" : "none";
}

function withoutTimes(entry: NodeUpgradeStatus): unknown[] {
  return Object.entries(entry)
    .filter(([key]) => key !== "secondsInWork" && key !== "secondsInPhase")
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
