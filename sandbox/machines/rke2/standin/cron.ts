import { Failure } from "../../../failure";

/** Says whether a schedule asks for something in the minute of a date. */
export type Schedule = (date: Date) => boolean;

const RANGES: readonly (readonly [number, number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
];

const NAMED: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
};

/** Reads the five fields of cron, with lists, ranges and steps, and the usual short names. */
export function parseCron(text: string): Schedule {
  const every = /^@every (\d+)m$/.exec(text.trim());
  if (every !== null) {
    const minutes = Math.max(1, Number(every[1]));
    return (date) => Math.floor(date.getTime() / 60_000) % minutes === 0;
  }
  const fields = (NAMED[text.trim()] ?? text).trim().split(/\s+/);
  if (fields.length !== RANGES.length)
    throw new Failure(
      `etcd-snapshot-schedule-cron: expected exactly 5 fields, found ${fields.length}: [${text}]`,
    );
  const sets = fields.map((field, index) => valuesOf(field, RANGES[index] ?? [0, 0], text));
  const [minutes, hours, days, months, weekdays] = sets;
  return (date) => {
    const day = days?.has(date.getDate()) === true;
    const weekday =
      weekdays?.has(date.getDay()) === true || (date.getDay() === 0 && weekdays?.has(7) === true);
    // If both are restricted, either of them will do; that is how cron has always been.
    const either = fields[2] !== "*" && fields[4] !== "*" ? day || weekday : day && weekday;
    return (
      minutes?.has(date.getMinutes()) === true &&
      hours?.has(date.getHours()) === true &&
      months?.has(date.getMonth() + 1) === true &&
      either
    );
  };
}

function valuesOf(field: string, [low, high]: readonly [number, number], text: string): Set<number> {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const match = /^(\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part);
    const from = match?.[2] === undefined ? low : Number(match[2]);
    const to =
      match?.[3] !== undefined
        ? Number(match[3])
        : match?.[2] !== undefined && match[4] === undefined
          ? from
          : high;
    const step = Number(match?.[4] ?? 1);
    if (match === null || from < low || to > high || from > to || step < 1)
      throw new Failure(
        `etcd-snapshot-schedule-cron: cannot read "${part}" in [${text}]; values are ${low} to ${high}.`,
      );
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
}
