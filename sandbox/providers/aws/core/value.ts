import { isRecord, UNKNOWN, type Values } from "../../shell/wire";

export { holdsUnknown, isRecord, UNKNOWN, type Values } from "../../shell/wire";

/** Whether a value is a list. (`Array.isArray` gives `any[]`.) */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** A value that is not known yet as a text that equals no other, for declarations that compare texts. */
export function unknownAsText(value: unknown): unknown {
  if (value === UNKNOWN) return "(not known yet)";
  if (isList(value)) return value.map(unknownAsText);
  return isRecord(value) ? unknownsAsText(value) : value;
}

/** The same for properties. */
export function unknownsAsText(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([key, item]) => [key, unknownAsText(item)]));
}

/**
 * Takes away what means the same as nothing: undefined, null, an empty text, an empty list, an empty object.
 * AWS answers with one where the program wrote another.
 */
export function prune(value: unknown): unknown {
  if (isList(value)) {
    const list = value.map(prune).filter((item) => item !== undefined);
    return list.length === 0 ? undefined : list;
  }
  if (isRecord(value)) {
    const bag = pruneValues(value);
    return Object.keys(bag).length === 0 ? undefined : bag;
  }
  return value === null || value === "" ? undefined : value;
}

/** The same for the properties of a bag, which stays a bag when nothing is left. */
export function pruneValues(bag: Values): Record<string, unknown> {
  const entries = Object.entries(bag).map(([key, item]) => [key, prune(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

/** Takes away undefined and null, which cannot be sent, and leaves everything else as it is. */
export function definedOnly(value: unknown): unknown {
  if (isList(value)) return value.filter((item) => item !== undefined && item !== null).map(definedOnly);
  if (isRecord(value)) return definedValues(value);
  return value;
}

/** The same for the properties of a bag. */
export function definedValues(bag: Values): Record<string, unknown> {
  const entries = Object.entries(bag).filter(([, item]) => item !== undefined && item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, definedOnly(item)]));
}

/** A text that is the same for equal values, whatever the order of their keys. */
export function canonical(value: unknown): string {
  if (isList(value)) return `[${value.map(canonical).join(",")}]`;
  if (isRecord(value)) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
  }
  return value === undefined ? "null" : JSON.stringify(value);
}

/** A bag without one of its properties. */
export function without(bag: Values, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(bag).filter(([key]) => key !== name));
}
