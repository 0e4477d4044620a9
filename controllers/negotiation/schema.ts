// A structural OpenAPI v3 schema, as a CustomResourceDefinition holds it, and its canonical form.
import { createHash } from "node:crypto";
import { isObject as isRecord } from "../../lib/json";
import { joined, split } from "./conjuncts";

export { isRecord };

/** A node of a structural schema. Inside `allOf`, `anyOf`, `oneOf` and `not` there are values' rules alone and no types. */
export interface Schema {
  type?: string;
  format?: string;
  nullable?: boolean;
  default?: unknown;
  enum?: readonly unknown[];
  minimum?: number;
  exclusiveMinimum?: boolean;
  maximum?: number;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  required?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  allOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  not?: Schema;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-list-type"?: string;
  "x-kubernetes-list-map-keys"?: readonly string[];
  "x-kubernetes-map-type"?: string;
  "x-kubernetes-validations"?: readonly CelRule[];
}

/** A rule of a schema in CEL. */
export interface CelRule {
  rule: string;
  message?: string;
  messageExpression?: string;
  fieldPath?: string;
  reason?: string;
  optionalOldSelf?: boolean;
}

/** What no value fits. It stands only where leaving a field out would allow anything there. */
export const NEVER: Schema = { not: {}, "x-kubernetes-preserve-unknown-fields": true };

/** Whether no value fits. */
export function isNever(schema: Schema): boolean {
  return schema.not !== undefined && Object.keys(schema.not).length === 0;
}

/** Whether fields that are not named are kept. */
export function isOpen(schema: Schema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true;
}

/** The schema of a map's values; undefined if it is no map. */
export function mapValue(schema: Schema): Schema | undefined {
  const { additionalProperties: values } = schema;
  if (values === true) return { "x-kubernetes-preserve-unknown-fields": true };
  return values === false ? undefined : values;
}

const INT_OR_STRING = JSON.stringify([{ type: "integer" }, { type: "string" }]);
const isMarker = (part: Schema): boolean => JSON.stringify(part.anyOf) === INT_OR_STRING;

// What says nothing about which values are accepted.
const PROSE = new Set(["description", "title", "example", "externalDocs", "$schema", "id"]);
const FLAGS = new Set([
  "nullable",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "uniqueItems",
  "x-kubernetes-int-or-string",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
]);

/**
 * The schema in the one form that all schemas that say the same in the same words have: without prose, with sorted keys, with
 * what `allOf` repeats said once, and without what is the default anyway.
 */
export function canonical(schema: Schema): Schema {
  const parts = split(schema);
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  const { skeleton, conjuncts } = parts;
  const rest = intOrString ? conjuncts.filter((part) => !isMarker(part)) : conjuncts;
  return sortedKeys(joined(Object.fromEntries(Object.entries(skeleton).flatMap(keyword)), rest));
}

function keyword([name, value]: [string, unknown]): [string, unknown][] {
  if (PROSE.has(name) || value === undefined) return [];
  if (FLAGS.has(name) && value !== true) return [];
  switch (name) {
    case "properties":
      return [[name, isRecord(value) ? mapped(value) : {}]];
    case "additionalProperties":
      if (value === false) return [];
      return [[name, value === true ? { "x-kubernetes-preserve-unknown-fields": true } : inner(value)]];
    case "items":
      return [[name, inner(value)]];
    case "enum":
    case "required":
      return Array.isArray(value) && (value.length > 0 || name === "enum") ? [[name, distinct(value)]] : [];
    case "x-kubernetes-validations":
      return Array.isArray(value) && value.length > 0 ? [[name, distinct(value)]] : [];
    case "x-kubernetes-list-type":
      return value === "atomic" ? [] : [[name, value]];
    case "x-kubernetes-list-map-keys":
      return [[name, distinct(value)]];
    case "x-kubernetes-map-type":
      return value === "granular" ? [] : [[name, value]];
    case "minLength":
    case "minItems":
    case "minProperties":
      return value === 0 ? [] : [[name, value]];
    default:
      return [[name, value]];
  }
}

const inner = (value: unknown): Schema => canonical(isRecord(value) ? value : {});
const mapped = (properties: object): Record<string, Schema> =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, inner(value)]));

/** The items once each, in the order of their JSON. */
export function distinct(items: unknown): unknown[] {
  if (!Array.isArray(items)) return [];
  const byText = new Map(items.map((item: unknown) => [text(item), item]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

/** A value as JSON with sorted keys. */
export function text(value: unknown): string {
  return value === undefined ? "null" : JSON.stringify(sortedKeys(value));
}

function sortedKeys<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map((item: unknown) => sortedKeys(item)) as Value;
  if (!isRecord(value)) return value;
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, sortedKeys(item)]);
  return Object.fromEntries(entries) as Value;
}

/** The text of a canonical schema and its hash, by which it is stored. */
export function content(schema: Schema): { hash: string; text: string } {
  const json = text(schema);
  return { hash: createHash("sha256").update(json).digest("hex"), text: json };
}
