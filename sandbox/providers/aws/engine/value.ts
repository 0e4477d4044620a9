/** A set of properties as the engine sends and keeps it. */
export type Bag = Readonly<Record<string, unknown>>;

/** What the Pulumi engine sends, at preview, in place of a value that is not known yet. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Whether a value is an object with properties, not a list. */
export function isBag(value: unknown): value is Bag {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a list. (`Array.isArray` gives `any[]`.) */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Whether a value, or any part of it, is not known yet. */
export function hasUnknown(value: unknown): boolean {
  if (isList(value)) return value.some(hasUnknown);
  if (isBag(value)) return Object.values(value).some(hasUnknown);
  return value === UNKNOWN;
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
  if (isBag(value)) {
    const bag = pruneBag(value);
    return Object.keys(bag).length === 0 ? undefined : bag;
  }
  return value === null || value === "" ? undefined : value;
}

/** The same for the properties of a bag, which stays a bag when nothing is left. */
export function pruneBag(bag: Bag): Record<string, unknown> {
  const entries = Object.entries(bag).map(([key, item]) => [key, prune(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

/** Takes away undefined and null, which cannot be sent, and leaves everything else as it is. */
export function definedOnly(value: unknown): unknown {
  if (isList(value)) return value.filter((item) => item !== undefined && item !== null).map(definedOnly);
  if (isBag(value)) return definedBag(value);
  return value;
}

/** The same for the properties of a bag. */
export function definedBag(bag: Bag): Record<string, unknown> {
  const entries = Object.entries(bag).filter(([, item]) => item !== undefined && item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, definedOnly(item)]));
}

/** A text that is the same for equal values, whatever the order of their keys. */
export function canonical(value: unknown): string {
  if (isList(value)) return `[${value.map(canonical).join(",")}]`;
  if (isBag(value)) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
  }
  return value === undefined ? "null" : JSON.stringify(value);
}

/** A bag without one of its properties. */
export function without(bag: Bag, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(bag).filter(([key]) => key !== name));
}
