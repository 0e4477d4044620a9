// The status of an object in a member as text for the hub, of a bounded length.
import { isRecord } from "../runtime";

/** A status as text, and whether parts were left out. */
export interface Observed {
  text: string;
  isTruncated: boolean;
}

/** The status as JSON with sorted keys, so that equal ones are the same text; the largest fields go until it fits. */
export function observedText(status: unknown, longest: number): Observed {
  if (!isRecord(status)) return { text: "", isTruncated: false };
  const left: Record<string, unknown> = { ...status };
  let text = sorted(left);
  let isTruncated = false;
  while (text.length > longest) {
    const sizes = Object.entries(left).map(([key, value]) => ({ key, size: sorted(value).length }));
    const largest = sizes.sort((a, b) => b.size - a.size || (a.key < b.key ? -1 : 1))[0];
    if (largest === undefined) return { text: "", isTruncated: true };
    Reflect.deleteProperty(left, largest.key);
    isTruncated = true;
    text = sorted(left);
  }
  return { text, isTruncated };
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  );
}
