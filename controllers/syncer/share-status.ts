// What the syncer says of a Share. Pure.
import { equal, setCondition, type Condition, type KubernetesObject } from "../runtime";
import { healthOf } from "../workload";
import { MAX_OBSERVED } from "../../api/hub";
import type { Fight } from "./drift";
import type { ShareObject, ShareStatus } from "./kinds";
import { observedText } from "./observed";

/** What came of bringing a Share's object into the member. */
export interface Outcome {
  applied: { status: "True" | "False" | "Unknown"; reason: string; message: string };
  /** The object as it is; undefined if there is none of ours. */
  live?: KubernetesObject | undefined;
  /** What the member did not keep; undefined if nothing was applied now. */
  dropped?: readonly string[];
  /** Whether the manifest as it is now is in the member. */
  isCurrent: boolean;
  fight?: Fight | undefined;
}

const MAX_DROPPED = 20;

/** The status of a Share after an outcome. */
export function shareStatus(share: ShareObject, outcome: Outcome, now: number): ShareStatus {
  const before = share.status ?? {};
  const { live, isCurrent } = outcome;
  const dropped = outcome.dropped === undefined ? (before.dropped ?? []) : shortened(outcome.dropped);
  const observed = live === undefined ? undefined : observedText(Reflect.get(live, "status"), MAX_OBSERVED);
  const isNew = isCurrent && before.appliedHash !== share.spec.hash;
  return {
    observedGeneration: share.metadata.generation ?? 0,
    conditions: conditions(share, { ...outcome, dropped }, now),
    ...given("appliedHash", isCurrent ? share.spec.hash : before.appliedHash),
    ...given("appliedGeneration", isCurrent ? share.spec.root.generation : before.appliedGeneration),
    ...given("appliedAt", isNew ? timeOf(now) : before.appliedAt),
    ...given("uid", live === undefined ? before.uid : live.metadata.uid),
    ...given("memberGeneration", live?.metadata.generation),
    ...given("observed", observed?.text),
    ...(observed?.isTruncated === true ? { observedTruncated: true } : {}),
    ...(dropped.length === 0 ? {} : { dropped: [...dropped] }),
  };
}

function conditions(
  share: ShareObject,
  { applied, live, dropped, fight }: Outcome & { dropped: readonly string[] },
  now: number,
): ShareStatus["conditions"] {
  const observedGeneration = share.metadata.generation ?? 0;
  let all: readonly Condition[] = (share.status?.conditions ?? []).map(
    ({ observedGeneration: seen, ...rest }) => ({
      ...rest,
      ...(seen === undefined ? {} : { observedGeneration: seen }),
    }),
  );
  const set = (type: string, status: Condition["status"], reason: string, message: string): void => {
    all = setCondition(
      all,
      { type, status, reason, message: message.slice(0, 4096), observedGeneration },
      now,
    );
  };
  set("Applied", applied.status, applied.reason, applied.message);
  if (live === undefined)
    set("Healthy", "Unknown", "NotThere", "The member has no such object of the hub's.");
  else {
    const { health, message = "" } = healthOf(live);
    const status = health === "Healthy" ? "True" : "False";
    set("Healthy", status, health, message);
  }
  if (fight === undefined) set("Drifted", "False", "AsApplied", "Nobody else changes it in the member.");
  else
    set(
      "Drifted",
      "True",
      "ChangedInMember",
      `${list(fight.managers)} changed ${list(fight.fields)} in the member; it was changed back ${fight.healed} ${fight.healed === 1 ? "time" : "times"}, and ever more rarely. Change the object on the hub, or stop the other.`,
    );
  if (dropped.length === 0) set("Dropped", "False", "AllKept", "The member kept all that was applied.");
  else
    set(
      "Dropped",
      "True",
      "NotKept",
      `The member took the object and did not keep all of it: ${dropped.slice(0, 3).join("; ")}${dropped.length > 3 ? `; and ${dropped.length - 3} more, see status.dropped` : ""}. A feature may be off there, or an admission webhook changes it.`,
    );
  return [...all];
}

function shortened(dropped: readonly string[]): string[] {
  return dropped.slice(0, MAX_DROPPED).map((text) => text.slice(0, 1024));
}

function list(words: readonly string[]): string {
  if (words.length === 0) return "somebody";
  return words.length > 3 ? `${words.slice(0, 3).join(", ")} and ${words.length - 3} more` : words.join(", ");
}

function given<Field extends string, Value>(
  field: Field,
  value: Value | undefined,
): Partial<Record<Field, Value>> {
  return value === undefined ? {} : ({ [field]: value } as Partial<Record<Field, Value>>);
}

function timeOf(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
}

/** The merge patch from one status to another; undefined if they are the same. */
export function statusPatch(
  before: ShareStatus | undefined,
  after: ShareStatus,
): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  const known: Record<string, unknown> = { ...before };
  const wanted: Record<string, unknown> = { ...after };
  for (const field of new Set([...Object.keys(known), ...Object.keys(wanted)])) {
    if (equal(known[field], wanted[field])) continue;
    patch[field] = wanted[field] ?? null;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
