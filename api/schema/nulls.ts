import type { StructuralSchema } from "./structural";

/**
 * The value without the fields that are null. The API server drops them before it looks further, because nothing here
 * may be null: `sudo: null` is the same as no `sudo`. An unknown field stays, to be refused by its name.
 */
export function withoutNulls(value: unknown, schema: StructuralSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item: unknown) => withoutNulls(item, items));
  }
  if (typeof value !== "object" || value === null) return value;
  const known = new Map(Object.entries(schema.properties ?? {}));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
      const field = known.get(name) ?? schema.additionalProperties;
      if (field === undefined) return [[name, inner]];
      return inner === null ? [] : [[name, withoutNulls(inner, field)]];
    }),
  );
}
