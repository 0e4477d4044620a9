import { z } from "zod";
import { extrasOf } from "./rule";

/** A node of a structural OpenAPI v3 schema, as a CRD holds it. */
export interface StructuralSchema {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  format?: string;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  required?: readonly string[];
  properties?: Readonly<Record<string, StructuralSchema>>;
  items?: StructuralSchema;
  additionalProperties?: StructuralSchema;
  "x-kubernetes-validations"?: readonly { rule: string; message: string; fieldPath?: string }[];
  "x-kubernetes-list-type"?: string;
  "x-kubernetes-list-map-keys"?: readonly string[];
  "x-kubernetes-map-type"?: string;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
}

/** The structural schema that says the same as a zod schema. */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  const structural = z.toJSONSchema(schema, {
    io: "input",
    target: "openapi-3.0",
    override: ({ zodSchema, jsonSchema }) => {
      const { rules = [], keywords } = extrasOf(zodSchema);
      Object.assign(jsonSchema, keywords);
      // Of an embedded object's metadata a structural schema may say nothing but that it is an object.
      if (jsonSchema["x-kubernetes-embedded-resource"] === true && jsonSchema.properties !== undefined)
        jsonSchema.properties.metadata = { type: "object" };
      if (rules.length > 0) jsonSchema["x-kubernetes-validations"] = rules;
      // A structural schema forbids unknown fields by itself, and cannot say it twice.
      if (jsonSchema.properties !== undefined) delete jsonSchema.additionalProperties;
      // Written by zod for whole numbers without bound; JSON numbers have the same bound anyway.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.type === "integer") jsonSchema.format = "int64";
    },
  });
  delete structural.$schema;
  return sorted(structural);
}

const order = [
  "description",
  "type",
  "format",
  "enum",
  "default",
  "minLength",
  "maxLength",
  "pattern",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "maxProperties",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
  "required",
  "properties",
  "additionalProperties",
  "items",
];

// Keywords in one order everywhere, the ones that a person looks for first; an unknown one is a mistake of ours.
function sorted(schema: object): StructuralSchema {
  const unknown = Object.keys(schema).filter((keyword) => !order.includes(keyword));
  if (unknown.length > 0)
    throw new Error(`A structural schema has no room for ${unknown.join(", ")}: ${JSON.stringify(schema)}`);
  const entries = Object.entries(schema)
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .map(([keyword, value]: [string, unknown]) => [keyword, nested(keyword, value)]);
  return Object.fromEntries(entries) as StructuralSchema;
}

function nested(keyword: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (keyword === "properties")
    return Object.fromEntries(
      Object.entries(value).map(([name, field]: [string, object]) => [name, sorted(field)]),
    );
  return keyword === "items" || keyword === "additionalProperties" ? sorted(value) : value;
}
