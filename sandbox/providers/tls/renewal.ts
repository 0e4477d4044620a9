import type { CheckFailure } from "../shell/kind";

const HOUR = 3_600_000;

/** Whether a certificate has expired or is within the hours before that in which it shall be renewed. */
export function readyForRenewal(validityEndTime: string, earlyRenewalHours: number, now: Date): boolean {
  return Date.parse(validityEndTime) - earlyRenewalHours * HOUR <= now.getTime();
}

/** The parts of a certificate's state that have to do with renewal. */
interface Renewable {
  readonly validityEndTime: string;
  readonly earlyRenewalHours?: number | undefined;
}

/** What the next update does to a certificate because of the time that has passed. */
export function renewalDrift(
  olds: Renewable,
  news: { readonly earlyRenewalHours?: number | undefined },
): Readonly<Record<string, "replace">> {
  return readyForRenewal(olds.validityEndTime, news.earlyRenewalHours ?? 0, new Date())
    ? { readyForRenewal: "replace" }
    : {};
}

/** A certificate's state as a refresh finds it. */
export function refreshed<T extends Renewable>(state: T): T {
  return readyForRenewal(state.validityEndTime, state.earlyRenewalHours ?? 0, new Date())
    ? { ...state, readyForRenewal: true }
    : state;
}

/** When a certificate begins, in whole seconds: certificates know no fractions. */
export function startOfValidity(): Date {
  return new Date(Math.floor(Date.now() / 1000) * 1000);
}

/** A time as RFC 3339 writes it. */
export function timestamp(time: Date): string {
  return time.toISOString().replace(".000Z", "Z");
}

/** A private key comes either to be kept in the state or to be used only once, not both. */
export function oneKeyFailures(
  property: string,
  kept: string | undefined,
  once: string | undefined,
  bothKnown: boolean,
): CheckFailure[] {
  if (kept !== undefined && once !== undefined) {
    return [{ property, reason: `must not be set together with ${property}Wo` }];
  }
  return bothKnown && kept === undefined && once === undefined
    ? [{ property, reason: `is required: a private key in PEM form (or ${property}Wo)` }]
    : [];
}
