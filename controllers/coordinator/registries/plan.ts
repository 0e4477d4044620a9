// Decides whether a credential is still usable, and when its provider is asked again after a failure. Pure functions.
import type { CredentialError } from "./credential";
import { renewalTime, type Held } from "./pull-secret";

const FIRST_RETRY_MS = 2000;
const MAX_RETRY_MS = 300_000;

/** A failed attempt to get a credential. */
export interface RenewalFailure {
  /** What was asked with: a changed source is asked at once. */
  source: string;
  count: number;
  /** By the monotonic clock: whoever sets the wall clock back must not have to wait that long. */
  retryAt: number;
  error: CredentialError;
}

/** The failure after another one; failures of the same source wait longer and longer. */
export function nextFailure(
  before: RenewalFailure | undefined,
  source: string,
  now: number,
  error: CredentialError,
): RenewalFailure {
  const count = before?.source === source ? before.count + 1 : 0;
  const wait = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(count, 10));
  return { source, count, retryAt: now + wait, error };
}

/** Clocks of two leaders differ by less. */
const CLOCKS_DIFFER_MS = 60_000;

/** Whether a credential is from this source, unchanged and not due for renewal. */
export function isUsable(held: Held, source: string, now: number): boolean {
  if (held.source !== source || !held.intact) return false;
  const due = renewalTime(held);
  // What was obtained in the future was obtained by a clock that was set right since: its times mean nothing.
  return due === undefined || (now < due && held.obtainedAt <= now + CLOCKS_DIFFER_MS);
}
