// The fields that an object uses: what the strategy PerObject asks of a cluster.
import { isRecord, type Schema } from "./schema";
import { violations } from "./validate";

// What every cluster knows, and what the cluster itself writes.
const IGNORED = new Set(["apiVersion", "kind", "metadata", "status"]);

/** The paths of the fields that an object uses, without its metadata and status; `[]` is an entry of a list. */
export function usedFields(object: Readonly<Record<string, unknown>>): string[] {
  const found = new Set<string>();
  for (const [name, value] of Object.entries(object)) if (!IGNORED.has(name)) collect(value, name, found);
  return [...found].sort();
}

function collect(value: unknown, path: string, found: Set<string>): void {
  if (Array.isArray(value)) for (const entry of value) collect(entry, `${path}[]`, found);
  else if (isRecord(value) && Object.keys(value).length > 0)
    for (const [name, inner] of Object.entries(value)) collect(inner, `${path}.${name}`, found);
  else if (value !== null) found.add(path);
}

/** The fields of an object that a cluster's schema does not have, so that the object cannot go there. */
export function lackingFields(schema: Schema, object: Readonly<Record<string, unknown>>): string[] {
  const used = Object.fromEntries(Object.entries(object).filter(([name]) => !IGNORED.has(name)));
  return violations(schema, used, "", true)
    .filter(({ rule }) => rule === "unknown")
    .map(({ path }) => path);
}
