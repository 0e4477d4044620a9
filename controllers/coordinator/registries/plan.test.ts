import { CredentialError } from "./credential";
import { isUsable, nextFailure } from "./plan";
import type { Held } from "./pull-secret";

const HOUR = 3_600_000;
const now = Date.UTC(2026, 0, 1);
const token: Held = { source: "s", obtainedAt: now, expiresAt: now + 12 * HOUR, intact: true };

test.each<[what: string, usable: boolean, held: Held, at: number]>([
  ["a new token", true, token, now],
  ["a token before two thirds of its time", true, token, now + 8 * HOUR - 1],
  ["a token after two thirds of its time", false, token, now + 8 * HOUR],
  ["a token from another source", false, { ...token, source: "t" }, now],
  ["a token that somebody exchanged", false, { ...token, intact: false }, now],
  ["a token of a leader whose clock is a little ahead", true, token, now - 30_000],
  ["a token that was obtained by a clock a day ahead", false, token, now - 24 * HOUR],
  ["a password", true, { ...token, expiresAt: undefined }, now + 1000 * HOUR],
])("%s is usable: %s", (_what, usable, held, at) => {
  expect(isUsable(held, "s", at)).toBe(usable);
});

test("a provider that refuses is asked less and less often, and at once about something else", () => {
  const error = new CredentialError("Refused", "no");
  const waits: number[] = [];
  let failure = nextFailure(undefined, "a", 0, error);
  for (let count = 0; count < 9; count++) {
    waits.push(failure.retryAt);
    failure = nextFailure(failure, "a", 0, error);
  }
  expect(waits).toEqual([2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000]);
  expect(nextFailure(failure, "b", 0, error).retryAt).toBe(2000);
});
