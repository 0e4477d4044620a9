import { Cron } from "croner";
import { errorMessage, Failure } from "../../../../lib/failure";

/** Returns the first time after a given one at which something is due. */
export type Schedule = (after: Date) => Date;

const KEY = "etcd-snapshot-schedule-cron";
const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };

/**
 * Parses a schedule as RKE2 does, which uses the standard parser of Go's robfig/cron: five fields, `@daily` and the
 * like, or `@every 1h30m`. What only croner understands (`L`, `W`, `#`, 7 for Sunday) is refused.
 */
export function parseSchedule(text: string): Schedule {
  const interval = /^@every\s+((?:\d+[hms])+)$/.exec(text.trim())?.[1];
  if (interval !== undefined) {
    const delay = Math.max(1000, durationMs(interval));
    return (after) => new Date(Math.floor((after.getTime() + delay) / 1000) * 1000);
  }
  const cron = parseFields(text.trim());
  return (after) => {
    const next = cron.nextRun(after);
    if (next === null) throw new Failure(`${KEY}: [${text}] is never due.`);
    return next;
  };
}

function parseFields(text: string): Cron {
  const weekdays = text.split(/\s+/)[4] ?? "";
  if (!/^@[a-z]+$|^[\d\sA-Za-z*,/?-]*$/.test(text) || /\d[LW]|\bL\b/i.test(text) || /\b7\b/.test(weekdays))
    throw new Failure(`${KEY}: cannot parse [${text}].`);
  try {
    // As in robfig/cron, `?` is `*`, `5/15` counts from 5, and a day matches if either of two day fields does.
    return new Cron(text.replaceAll("?", "*"), { mode: "5-part", sloppyRanges: true, domAndDow: false });
  } catch (error) {
    throw new Failure(`${KEY}: cannot parse [${text}]: ${errorMessage(error)}`);
  }
}

function durationMs(text: string): number {
  return [...text.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, count = "0", unit = ""]) => sum + Number(count) * (UNIT_MS[unit] ?? 0),
    0,
  );
}
