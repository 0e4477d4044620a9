// Decides the status of a User: pure, from all Users and what nodes reported.
import { keysInForce, nextExpiry, type LoginResult } from "../../../api/login";
import type { UserObject, UserStatus } from "../../app/user";
import { setCondition } from "../../runtime";

/** The part of a User's status that the coordinator writes: all but the entries of nodes in `failures`. */
export type SharedStatus = Omit<UserStatus, "failures">;

/** The shared status of a User at a given time. */
export function sharedStatus(user: UserObject, result: LoginResult, now: number): SharedStatus {
  const { login, refusal } = result;
  const observedGeneration = user.metadata.generation ?? 0;
  const keys = login === undefined ? 0 : keysInForce(login, now).length;
  const next = login === undefined ? undefined : nextExpiry(login, now);
  const state = refusal === undefined ? readiness(user, keys) : { status: "False" as const, ...refusal };
  const [condition] = setCondition(
    (user.status?.conditions ?? []).filter(({ type }) => type === "Ready"),
    { type: "Ready", ...state, observedGeneration },
    now,
  );
  return {
    observedGeneration,
    keys,
    ...(next === undefined ? {} : { nextExpiry: new Date(next).toISOString() }),
    conditions: condition === undefined ? [] : [condition],
  };
}

function readiness(
  user: UserObject,
  keys: number,
): { status: "True" | "False"; reason: string; message: string } {
  const failures = user.status?.failures ?? [];
  if (failures.length === 0)
    return {
      status: "True",
      reason: "Accepted",
      message: `No node reports a failure; the account has ${keys} valid ${keys === 1 ? "key" : "keys"}.`,
    };
  const named = failures.slice(0, 3).map(({ node, reason }) => `${node} (${reason})`);
  const more = failures.length > 3 ? ` and ${failures.length - 3} more` : "";
  return {
    status: "False",
    reason: "FailedOnNodes",
    message: `The account could not be set up on ${named.join(", ")}${more}: see status.failures.`,
  };
}

/** Whether a User has this status already. */
export function isCurrent({ status: live = {} }: UserObject, wanted: SharedStatus): boolean {
  const before = live.conditions?.find(({ type }) => type === "Ready");
  const [after] = wanted.conditions ?? [];
  return (
    live.observedGeneration === wanted.observedGeneration &&
    live.keys === wanted.keys &&
    live.nextExpiry === wanted.nextExpiry &&
    before?.status === after?.status &&
    before?.reason === after?.reason &&
    before?.message === after?.message
  );
}
