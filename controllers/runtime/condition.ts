// Status conditions as Kubernetes has them: `lastTransitionTime` changes only with the status.

/** A condition as every Kubernetes API has it. */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  /** One word in CamelCase, for programs. */
  reason: string;
  /** What, where, the value found and the fix, for people. */
  message: string;
  observedGeneration?: number;
  lastTransitionTime: string;
}

/** Sets a condition. Gives the very same array if nothing changes, so that nothing needs to be written. */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  wanted: Omit<Condition, "lastTransitionTime">,
  now: number,
): readonly Condition[] {
  const before = conditions?.find(({ type }) => type === wanted.type);
  // The time says since when the status is what it is: a new reason alone does not move it.
  const time = new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
  const lastTransitionTime = before?.status === wanted.status ? before.lastTransitionTime : time;
  const after: Condition = { ...wanted, lastTransitionTime };
  if (conditions === undefined || before === undefined) return [...(conditions ?? []), after];
  return isSame(before, after)
    ? conditions
    : conditions.map((condition) => (condition === before ? after : condition));
}

/** Whether a condition is there and true. */
export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === "True") ?? false;
}

function isSame(a: Condition, b: Condition): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration &&
    a.lastTransitionTime === b.lastTransitionTime
  );
}
