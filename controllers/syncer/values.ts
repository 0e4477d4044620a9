// Whether a value that an API server gave back says the same as the one that was sent.
import { equal } from "../runtime";

const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E))?$/;
const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Whether two values are the same JSON, or the same quantity in other words, such as `1` and `1000m`. */
export function saysTheSame(sent: unknown, kept: unknown): boolean {
  if (equal(sent, kept)) return true;
  const [a, b] = [quantity(sent), quantity(kept)];
  return a !== undefined && b !== undefined && Math.abs(a - b) <= Math.abs(a) * 1e-9;
}

/** Whether a value says nothing: an API server leaves it out of what it keeps. */
export function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === 0 || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function quantity(value: unknown): number | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const found = QUANTITY.exec(String(value));
  if (found === null) return undefined;
  const [, number = "", exponent = "", suffix] = found;
  return Number(number + exponent) * (suffix === undefined ? 1 : (FACTORS[suffix] ?? 1));
}
