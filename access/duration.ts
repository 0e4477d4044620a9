// How long access lasts, as it is written on the command line.
import { ExitCode, Failure } from "../lib/failure";

const SECONDS: Readonly<Record<string, number>> = { h: 3600, d: 86_400 };
const MAX_DAYS = 365;

/** The seconds in a time such as 8h or 30d. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([hd])$/.exec(text) ?? [];
  const seconds = Number(count) * (SECONDS[unit ?? ""] ?? NaN);
  if (Number.isNaN(seconds) || seconds > MAX_DAYS * 86_400)
    throw new Failure(
      `--for is ${JSON.stringify(text)}: give hours or days, up to ${MAX_DAYS} days, such as 8h or 30d.`,
      ExitCode.usage,
    );
  return seconds;
}
