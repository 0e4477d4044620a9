// Random structural schemas and documents, the same for the same seed. Names and values are few, so that two schemas have much in
// common and a document often fits one and not the other.
import type { Schema } from "../schema";

/** Numbers from 0 to 1. */
export type Random = () => number;

/** Numbers that are the same for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of some. */
export function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("There is nothing to pick from.");
  return item;
}

const NAMES = ["a", "b", "c", "mode"] as const;
const WORDS = ["x", "y", "xy", "", "xyx", "7"] as const;
const NUMBERS = [0, 1, 2, 3, 5, 1.5, -1] as const;
const OPEN = "x-kubernetes-preserve-unknown-fields";

/** A random schema of an object's `spec`, with all keywords that a structural schema may have. */
export function randomSchema(random: Random, depth = 2): Schema {
  const chance = random();
  if (depth > 0 && chance < 0.35) return randomObject(random, depth);
  if (depth > 0 && chance < 0.5) return randomList(random, depth);
  if (chance < 0.55) return { [OPEN]: true };
  if (chance < 0.65) return withNull(random, { "x-kubernetes-int-or-string": true, ...strings(random, 0.3) });
  if (chance < 0.8)
    return withNull(random, withEnum(random, { type: "string", ...strings(random, 0.4) }, WORDS));
  if (chance < 0.97) {
    const type = random() < 0.6 ? "integer" : "number";
    const values = type === "integer" ? NUMBERS.filter((value) => Number.isInteger(value)) : NUMBERS;
    return withNull(random, withEnum(random, { type, ...numbers(random) }, values));
  }
  return withNull(random, { type: "boolean" });
}

/** A random schema whose root is an object, as `spec` mostly is. */
export function randomObject(random: Random, depth: number): Schema {
  const maybe = (share: number): boolean => random() < share;
  if (maybe(0.15))
    return {
      type: "object",
      additionalProperties: maybe(0.2) ? { [OPEN]: true } : randomSchema(random, depth - 1),
      ...(maybe(0.2) ? { minProperties: 1 } : {}),
      ...(maybe(0.3) ? { maxProperties: pick(random, [1, 2]) } : {}),
      ...(maybe(0.1) ? { required: ["a"] } : {}),
    };
  const fields = NAMES.filter(() => maybe(0.7));
  const properties = Object.fromEntries(
    fields.map((name) => {
      const field = randomSchema(random, depth - 1);
      return [name, maybe(0.15) ? withDefault(random, field) : field];
    }),
  );
  const open = maybe(0.15);
  const base: Schema = {
    type: "object",
    ...(fields.length > 0 ? { properties } : {}),
    ...(open ? { [OPEN]: true } : {}),
    ...(maybe(0.1) ? { minProperties: 1 } : {}),
    ...(maybe(0.1) ? { maxProperties: pick(random, [1, 2, 3]) } : {}),
    ...(maybe(0.1) ? { nullable: true } : {}),
  };
  const required = fields.filter(() => maybe(0.2));
  const ruled = fields.length > 0 && maybe(0.25) ? { ...base, ...branches(random, fields) } : base;
  return required.length > 0 ? { ...ruled, required } : ruled;
}

function branches(random: Random, fields: readonly string[]): Schema {
  const branch = (): Schema => ({ required: [pick(random, fields)] });
  const keyword = pick(random, ["anyOf", "oneOf", "not", "allOf"] as const);
  if (keyword === "not") return { not: branch() };
  return { [keyword]: [branch(), branch()] };
}

function randomList(random: Random, depth: number): Schema {
  const maybe = (share: number): boolean => random() < share;
  const counts = {
    ...(maybe(0.2) ? { minItems: 1 } : {}),
    ...(maybe(0.3) ? { maxItems: pick(random, [1, 2]) } : {}),
  };
  const kind = random();
  if (kind < 0.2)
    return {
      type: "array",
      items: { type: pick(random, ["string", "integer"]) },
      "x-kubernetes-list-type": "set",
      ...counts,
    };
  if (kind < 0.4) {
    const key = pick(random, ["a", "a", "a", "b"] as const);
    const more = randomObject(random, 1);
    const items: Schema = {
      type: "object",
      properties: { ...more.properties, [key]: { type: "string" } },
      required: [key],
    };
    return {
      type: "array",
      items,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": [key],
      ...counts,
    };
  }
  return { type: "array", items: randomSchema(random, depth - 1), ...counts };
}

function strings(random: Random, share: number): Schema {
  const maybe = (): boolean => random() < share;
  return {
    ...(maybe() ? { minLength: pick(random, [1, 2]) } : {}),
    ...(maybe() ? { maxLength: pick(random, [1, 2, 3]) } : {}),
    ...(maybe() ? { pattern: pick(random, ["^x", "y$", "^[xy]*$"]) } : {}),
    ...(random() < 0.1 ? { format: pick(random, ["date", "ipv4", "byte"]) } : {}),
    ...(random() < 0.1 ? { allOf: [{ maxLength: 2 }, { pattern: "^x" }] } : {}),
    ...(random() < 0.1 ? { not: { enum: [pick(random, WORDS)] } } : {}),
  };
}

function numbers(random: Random): Schema {
  const maybe = (): boolean => random() < 0.4;
  return {
    ...(maybe() ? { minimum: pick(random, [0, 1, 2]), ...(maybe() ? { exclusiveMinimum: true } : {}) } : {}),
    ...(maybe() ? { maximum: pick(random, [1, 2, 3]), ...(maybe() ? { exclusiveMaximum: true } : {}) } : {}),
    ...(random() < 0.15 ? { multipleOf: pick(random, [2, 3]) } : {}),
    ...(random() < 0.15 ? { anyOf: [{ minimum: 2 }, { maximum: 0 }] } : {}),
  };
}

function withEnum(random: Random, schema: Schema, values: readonly unknown[]): Schema {
  if (random() > 0.25) return schema;
  const chosen = values.filter(() => random() < 0.5);
  return { type: schema.type, enum: chosen.length > 0 ? chosen : [values[0]] } as Schema;
}

function withNull(random: Random, schema: Schema): Schema {
  return random() < 0.15 ? { ...schema, nullable: true } : schema;
}

// A value that surely fits: the server takes no definition whose default does not.
function withDefault(random: Random, schema: Schema): Schema {
  const values = schema.enum ?? [];
  if (values.length > 0) return { ...schema, default: pick(random, values) };
  if (schema.type === "boolean") return { ...schema, default: random() < 0.5 };
  const bare = Object.keys(schema).every((name) => ["type", "nullable"].includes(name));
  if (!bare) return schema;
  if (schema.type === "string") return { ...schema, default: pick(random, WORDS) };
  return schema.type === "integer" ? { ...schema, default: pick(random, [1, 2]) } : schema;
}

/** A random document that has something to do with a schema. */
export function randomDocument(random: Random, schema: Schema): unknown {
  if (random() < 0.06)
    return pick<unknown>(random, [null, "x", 1, 1.5, true, [], {}, { a: 1 }, ["x"], [{ a: "x" }], 0]);
  if (schema.enum !== undefined && random() < 0.8) return pick(random, schema.enum);
  switch (schema.type) {
    case "object":
      return randomFields(random, schema);
    case "array":
      return Array.from({ length: Math.floor(random() * 3) }, () =>
        randomDocument(random, schema.items ?? {}),
      );
    case "string":
      return pick(random, WORDS);
    case "integer":
    case "number":
      return pick(random, NUMBERS);
    case "boolean":
      return random() < 0.5;
    case undefined:
    default:
      return pick<unknown>(random, ["x", 1, "xy", 2, { a: "x" }, 7, ["x"]]);
  }
}

function randomFields(random: Random, schema: Schema): Record<string, unknown> {
  const values = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  const names = new Set<string>(schema.required ?? []);
  for (const name of Object.keys(schema.properties ?? {})) if (random() < 0.6) names.add(name);
  if (values !== undefined || random() < 0.08) names.add(pick(random, NAMES));
  return Object.fromEntries(
    [...names]
      .filter(() => random() < 0.95)
      .map((name) => [name, randomDocument(random, schema.properties?.[name] ?? values ?? {})]),
  );
}
