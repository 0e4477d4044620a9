// Whether a schema accepts a document, as the API server decides it under strict validation; rules in CEL are left to the server.
import { matchesPattern } from "./pattern";
import { isOpen, isRecord, mapValue, text, type Schema } from "./schema";

/** What is wrong with a document. */
export interface Violation {
  path: string;
  /** The keyword; `unknown` for a field that the schema does not have. */
  rule: string;
}

const OBJECT_FIELDS = ["apiVersion", "kind", "metadata"];

/** Whether the schema accepts the value. */
export function accepts(schema: Schema, value: unknown): boolean {
  return violations(schema, value).length === 0;
}

/** Everything that is wrong with a value. `whole` is said of an object with apiVersion, kind and metadata. */
export function violations(schema: Schema, value: unknown, path = "", whole = false): Violation[] {
  const found: Violation[] = [];
  check(schema, value, path, whole, found);
  return found;
}

function check(schema: Schema, value: unknown, path: string, whole: boolean, found: Violation[]): void {
  const wrong = (rule: string, at = path): void => void found.push({ path: at, rule });
  if (!hasType(value, schema)) {
    wrong("type");
    return;
  }
  for (const rule of brokenRules(schema, asCounted(schema, value))) wrong(rule);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined)
      value.forEach((entry, index) => check(items, entry, `${path}[${index}]`, false, found));
    if (hasDuplicates(schema, value)) wrong("x-kubernetes-list-type");
  }
  if (!isRecord(value)) return;
  const embedded = whole || schema["x-kubernetes-embedded-resource"] === true;
  const given = new Set<string>();
  for (const [name, inner] of Object.entries(value)) {
    const field = schema.properties?.[name] ?? mapValue(schema);
    const at = path === "" ? name : `${path}.${name}`;
    const free = embedded && OBJECT_FIELDS.includes(name);
    if (field === undefined) {
      if (!isOpen(schema) && schema.type !== undefined && !free) wrong("unknown", at);
      given.add(name);
    } else if (inner === null && isDroppedNull(field)) continue;
    else {
      given.add(name);
      check(
        free && name === "metadata" ? { ...field, "x-kubernetes-preserve-unknown-fields": true } : field,
        inner,
        at,
        false,
        found,
      );
    }
  }
  for (const [name, field] of Object.entries(schema.properties ?? {}))
    if (field.default !== undefined) given.add(name);
  for (const name of schema.required ?? [])
    if (!given.has(name)) wrong("required", path === "" ? name : `${path}.${name}`);
  if (given.size < (schema.minProperties ?? 0)) wrong("minProperties");
  if (given.size > (schema.maxProperties ?? Infinity)) wrong("maxProperties");
}

// Branches are asked about the object as it is kept: without nulls that are dropped, with the defaults.
function asCounted(schema: Schema, value: unknown): unknown {
  if (!isRecord(value) || schema.properties === undefined) return value;
  const { properties } = schema;
  const kept = Object.entries(value).filter(([name, inner]) => {
    const field = properties[name];
    return inner !== null || field === undefined || !isDroppedNull(field);
  });
  const filled = Object.entries(properties).flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default] as const],
  );
  return { ...Object.fromEntries(filled), ...Object.fromEntries(kept) };
}

// The server leaves out a null wherever a field may not be null, before it looks any further.
function isDroppedNull(field: Schema): boolean {
  return field.nullable !== true;
}

/** Whether a value is of the type that a schema asks for. */
export function hasType(value: unknown, schema: Schema): boolean {
  if (schema["x-kubernetes-int-or-string"] === true)
    return (
      (value === null && schema.nullable === true) || Number.isInteger(value) || typeof value === "string"
    );
  if (schema.type === undefined) return true;
  if (value === null) return schema.nullable === true;
  switch (schema.type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    default:
      return typeof value === schema.type;
  }
}

// The rules about the value itself, and those that stand under allOf, anyOf, oneOf and not.
function brokenRules(schema: Schema, value: unknown): string[] {
  const broken: string[] = [];
  const need = (rule: string, holds: boolean): void => {
    if (!holds) broken.push(rule);
  };
  if (schema.enum !== undefined)
    need(
      "enum",
      schema.enum.some((one) => text(one) === text(value)),
    );
  if (typeof value === "number") {
    const { minimum = -Infinity, maximum = Infinity, multipleOf } = schema;
    need("minimum", schema.exclusiveMinimum === true ? value > minimum : value >= minimum);
    need("maximum", schema.exclusiveMaximum === true ? value < maximum : value <= maximum);
    if (multipleOf !== undefined) need("multipleOf", Number.isInteger(value / multipleOf));
  }
  if (typeof value === "string") {
    const length = Array.from(value).length;
    need("minLength", length >= (schema.minLength ?? 0));
    need("maxLength", length <= (schema.maxLength ?? Infinity));
    if (schema.pattern !== undefined) need("pattern", matchesPattern(schema.pattern, value) ?? true);
  }
  if (Array.isArray(value)) {
    need("minItems", value.length >= (schema.minItems ?? 0));
    need("maxItems", value.length <= (schema.maxItems ?? Infinity));
  }
  const holds = (part: Schema): boolean => fits(part, value);
  need("allOf", (schema.allOf ?? []).every(holds));
  need("anyOf", schema.anyOf === undefined || schema.anyOf.some(holds));
  need("oneOf", schema.oneOf === undefined || schema.oneOf.filter(holds).length === 1);
  need("not", schema.not === undefined || !holds(schema.not));
  return broken;
}

// A part without types: fields that it does not name are no concern of it.
function fits(part: Schema, value: unknown): boolean {
  if (!hasType(value, part) || brokenRules(part, value).length > 0) return false;
  if (Array.isArray(value))
    return (
      part.items === undefined || value.every((entry) => part.items === undefined || fits(part.items, entry))
    );
  if (!isRecord(value)) return true;
  const size = Object.keys(value).length;
  const inRange = size >= (part.minProperties ?? 0) && size <= (part.maxProperties ?? Infinity);
  return (
    inRange &&
    (part.required ?? []).every((name) => name in value) &&
    Object.entries(part.properties ?? {}).every(
      ([name, field]) => !(name in value) || fits(field, value[name]),
    )
  );
}

function hasDuplicates(schema: Schema, value: readonly unknown[]): boolean {
  const type = schema["x-kubernetes-list-type"];
  if (type !== "set" && type !== "map") return false;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const identity = (entry: unknown): string =>
    type === "set" || !isRecord(entry)
      ? text(entry)
      : text(keys.map((key) => entry[key] ?? schema.items?.properties?.[key]?.default ?? null));
  return new Set(value.map(identity)).size < value.length;
}
