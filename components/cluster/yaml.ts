import { dump } from "js-yaml";

/** A value as YAML, with the keys in the order in which they are written here and without what is undefined. */
export function yaml(value: object): string {
  return dump(defined(value), { lineWidth: -1, noRefs: true, quotingType: '"' });
}

/** The same object without the members that are undefined, at every depth. */
function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [[key, defined(member)]])),
  );
}
