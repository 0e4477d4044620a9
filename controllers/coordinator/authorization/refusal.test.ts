// What is said of a refusal by the API server, and when it is tried again.
import { ApiError } from "../../runtime";
import { RefusalPace, refusalOf } from "./refusal";

const forbidden = (message: string, code = 403): ApiError =>
  new ApiError("PATCH /x", code, { code, message });

test.each<[string, ApiError, string, RegExp]>([
  [
    "a right beyond the ceiling",
    forbidden(
      'user "a" is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    ),
    "RefusedByServer",
    /not currently held: \{APIGroups.*raise the ceiling by the setting fleetwright:roleCeiling\.$/,
  ],
  [
    "an account that the coordinator may not act as",
    forbidden('serviceaccounts "x" is forbidden: User "a" cannot impersonate resource "serviceaccounts"'),
    "AccountNotAllowed",
    /run pulumi up/,
  ],
  [
    "a right that the account lost",
    forbidden('User "a" cannot patch resource "clusterroles"'),
    "RefusedByServer",
    /rights of Fleetwright's own accounts were changed, run pulumi up/,
  ],
])("%s is said with the way out", (_what, error, reason, words) => {
  expect(refusalOf(error)).toMatchObject({ status: "False", reason });
  expect(refusalOf(error)?.message).toMatch(words);
});

test("other errors are none of its business", () => {
  expect(refusalOf(forbidden("conflict", 409))).toBeUndefined();
  expect(refusalOf(new Error("no answer"))).toBeUndefined();
});

test("it is tried again after a second, then less and less often, and from the start once it went well", () => {
  const pace = new RefusalPace();
  const waits = Array.from({ length: 8 }, () => pace.next("a"));
  expect(waits).toEqual([1000, 4000, 16_000, 64_000, 256_000, 300_000, 300_000, 300_000]);
  expect(pace.next("b")).toBe(1000);
  pace.forget("a");
  expect(pace.next("a")).toBe(1000);
});
