// A meet in the form that a CustomResourceDefinition can have, which says less in three places; never more.
import { meet } from "./meet";
import { isNever, isOpen, mapValue, type Schema } from "./schema";

/**
 * The schema for a definition. A map that names some fields as well becomes an object with these fields alone; a list that can
 * only be empty has no entries to tell apart; what follows from that is fitted anew. Undefined if nothing is left.
 */
export function publishable(schema: Schema): Schema | undefined {
  const plain = lowered(schema, true);
  return meet([{ name: "hub", schema: plain }]).schema;
}

function lowered(schema: Schema, root = false): Schema {
  const { properties, additionalProperties, items, ...rest } = schema;
  const result: Schema = { ...rest };
  const value = mapValue({ additionalProperties } as Schema);
  const named = Object.entries(properties ?? {});
  if (named.length > 0) {
    const open = value === undefined && isOpen(schema);
    const fields = named
      .filter(([, field]) => open || !isNever(field))
      .map(([name, field]) => [name, lowered(field)] as const);
    if (fields.length > 0) result.properties = Object.fromEntries(fields);
  } else if (value !== undefined) result.additionalProperties = lowered(value);
  if (items !== undefined) {
    result.items = isNever(items) ? EMPTY : lowered(items);
    if (isNever(items)) {
      delete result["x-kubernetes-list-type"];
      delete result["x-kubernetes-list-map-keys"];
    } else keyed(result);
  }
  if (isNever(schema)) return EMPTY;
  return root ? withObjectFields(result) : result;
}

// The server takes no `not: {}` beside a type, and no entry is ever looked at where a list must be empty.
const EMPTY: Schema = { not: {}, "x-kubernetes-preserve-unknown-fields": true };

// A key that has lost its default must be given.
function keyed(list: Schema): void {
  const { items } = list;
  const keys = list["x-kubernetes-list-map-keys"] ?? [];
  if (items === undefined || keys.length === 0) return;
  const missing = keys.filter(
    (key) => items.properties?.[key]?.default === undefined && !(items.required ?? []).includes(key),
  );
  if (missing.length > 0) list.items = { ...items, required: [...(items.required ?? []), ...missing] };
}

function withObjectFields(schema: Schema): Schema {
  const fixed = { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: { type: "object" } };
  return { ...schema, properties: { ...fixed, ...schema.properties } };
}
