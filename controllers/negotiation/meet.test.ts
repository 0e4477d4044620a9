import { repeatable, testSeed } from "../../test/harness/seed";
import { meet } from "./meet";
import { canonical, text, type Schema } from "./schema";
import { pick, randomDocument, randomFrom, randomObject, randomSchema } from "./testing/random";
import { accepts } from "./validate";

const SEED = testSeed(20261119);
const ROUNDS = 500;

/** The meet of schemas as text; `nothing` where none fits. */
const met = (...schemas: readonly (Schema | undefined)[]): Schema | undefined => {
  if (schemas.includes(undefined)) return undefined;
  const sides = schemas.flatMap((schema, index) =>
    schema === undefined ? [] : [{ name: `c${index}`, schema }],
  );
  return meet(sides).schema;
};

const ofObjects = (...fields: readonly Schema[]): Schema | undefined =>
  met(...fields.map((a): Schema => ({ type: "object", properties: { a } })))?.properties?.a;

describe("of one keyword, as the table has it", () => {
  const nothing = undefined;
  const text1: Schema = { type: "string" };
  const whole: Schema = { type: "integer" };
  const rows: readonly (readonly [string, Schema, Schema, Schema | undefined])[] = [
    ["the same type", text1, text1, text1],
    ["integer and number", whole, { type: "number" }, whole],
    ["int-or-string and integer", { "x-kubernetes-int-or-string": true }, whole, whole],
    ["int-or-string and string", { "x-kubernetes-int-or-string": true }, text1, text1],
    ["anything and string", { "x-kubernetes-preserve-unknown-fields": true }, text1, text1],
    ["string and integer", text1, whole, nothing],
    ["an enum on one side only", text1, { type: "string", enum: ["x"] }, { type: "string", enum: ["x"] }],
    [
      "enums that share a value",
      { type: "string", enum: ["x", "y"] },
      { type: "string", enum: ["y", "z"] },
      { type: "string", enum: ["y"] },
    ],
    ["disjoint enums", { type: "string", enum: ["x"] }, { type: "string", enum: ["y"] }, nothing],
    [
      "bounds",
      { type: "integer", minimum: 1, maximum: 9 },
      { type: "integer", minimum: 1, exclusiveMinimum: true, maximum: 5 },
      { type: "integer", minimum: 1, exclusiveMinimum: true, maximum: 5 },
    ],
    [
      "bounds without a number between",
      { type: "integer", minimum: 3 },
      { type: "integer", maximum: 2 },
      nothing,
    ],
    [
      "patterns",
      { type: "string", pattern: "^a" },
      { type: "string", pattern: "b$" },
      { type: "string", allOf: [{ pattern: "^a" }, { pattern: "b$" }] },
    ],
    [
      "lengths",
      { type: "string", minLength: 1, maxLength: 9 },
      { type: "string", minLength: 3 },
      { type: "string", minLength: 3, maxLength: 9 },
    ],
    [
      "lengths without one between",
      { type: "string", minLength: 3 },
      { type: "string", maxLength: 2 },
      nothing,
    ],
    [
      "int32 and int64",
      { type: "integer", format: "int32" },
      { type: "integer", format: "int64" },
      { type: "integer", format: "int32" },
    ],
    ["two formats", { type: "string", format: "date" }, { type: "string", format: "ipv4" }, nothing],
    [
      "a map and fields",
      { type: "object", additionalProperties: { type: "string", maxLength: 3 } },
      { type: "object", properties: { b: text1, c: whole } },
      { type: "object", properties: { b: { type: "string", maxLength: 3 } } },
    ],
    ["nullable on one side", { type: "string", nullable: true }, text1, text1],
    ["defaults that differ", { ...text1, default: "x" }, { ...text1, default: "y" }, text1],
    ["equal defaults", { ...text1, default: "x" }, { ...text1, default: "x" }, { ...text1, default: "x" }],
    ["lists told apart by different keys", listOf("a"), listOf("b"), nothing],
    [
      "a list and a list with keys",
      { ...listOf("a"), "x-kubernetes-list-type": "atomic" },
      listOf("a"),
      listOf("a"),
    ],
    [
      "a field that one requires and the other does not know",
      { type: "object", properties: { b: text1 }, required: ["b"] },
      { type: "object", properties: { c: text1 } },
      nothing,
    ],
    [
      "branches that need a field that is gone",
      {
        type: "object",
        properties: { b: text1, c: text1 },
        anyOf: [{ required: ["b"] }, { required: ["c"] }],
      },
      { type: "object", properties: { b: text1 } },
      { type: "object", properties: { b: text1 }, required: ["b"] },
    ],
    [
      "rules",
      { type: "object", properties: { b: whole }, "x-kubernetes-validations": [{ rule: "self.b > 1" }] },
      { type: "object", properties: { b: whole }, "x-kubernetes-validations": [{ rule: "self.b < 9" }] },
      {
        type: "object",
        properties: { b: whole },
        "x-kubernetes-validations": [{ rule: "self.b < 9" }, { rule: "self.b > 1" }],
      },
    ],
    [
      "a rule about a field that is gone",
      {
        type: "object",
        properties: { b: whole, c: whole },
        "x-kubernetes-validations": [{ rule: "!has(self.c) || self.b > self.c" }],
      },
      { type: "object", properties: { b: whole } },
      { type: "object", properties: { b: whole } },
    ],
  ];

  function listOf(key: string): Schema {
    return {
      type: "array",
      items: { type: "object", properties: { a: text1, b: text1 }, required: ["a", "b"] },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": [key],
    };
  }

  test.each(rows)("%s", (_, a, b, wanted) => {
    expect(ofObjects(a, b)).toEqual(wanted === undefined ? undefined : canonical(wanted));
    expect(ofObjects(b, a)).toEqual(wanted === undefined ? undefined : canonical(wanted));
  });
});

test.each<[string, Schema, Schema]>([
  ["maximum", { type: "integer", minimum: 1, maximum: 9 }, { type: "integer", minimum: 1, maximum: 5 }],
  ["minimum", { type: "integer", minimum: 1, maximum: 9 }, { type: "integer", minimum: 2, maximum: 9 }],
  ["maxLength", { type: "string", maxLength: 9 }, { type: "string" }],
])("a loss by %s has that name", (rule, a, b) => {
  const sides = [a, b].map((field, index) => ({
    name: `c${index}`,
    schema: { type: "object", properties: { a: field } } as const,
  }));
  expect(meet(sides).losses).toMatchObject([{ path: "a", rule, effect: "Narrowed" }]);
});

describe(`of ${ROUNDS} random schemas`, () => {
  const each = (law: (schemas: [Schema, Schema, Schema], random: () => number) => void) =>
    repeatable(SEED, __filename, () => {
      for (let round = 0; round < ROUNDS; round++) {
        const random = randomFrom(SEED + round);
        const object = (): Schema => randomObject(random, 2);
        law([object(), object(), object()], random);
      }
      return Promise.resolve();
    });
  const same = (a: Schema | undefined, b: Schema | undefined): void => {
    if (text(a) !== text(b)) expect(a).toEqual(b);
  };

  test("the order does not matter", () => each(([a, b]) => same(met(a, b), met(b, a))));

  test("nor whether they come one after another", () =>
    each(([a, b, c]) => {
      const [left, right] = [met(met(a, b), c), met(a, met(b, c))];
      same(left, right);
      same(left, met(a, b, c));
    }));

  test("nor how often one comes", () =>
    each(([a, b]) => {
      same(met(a, a), met(a));
      same(met(a, b, a, b), met(a, b));
      same(met(met(a, b), b), met(a, b));
    }));

  test("a document that the meet accepts is accepted by each", () =>
    repeatable(SEED, __filename, () => {
      let [accepted, refused] = [0, 0];
      for (let round = 0; round < ROUNDS; round++) {
        const random = randomFrom(SEED + round);
        const [a, b] = [
          randomObject(random, 2),
          pick(random, [randomObject(random, 2), randomSchema(random)]),
        ];
        const both = met(a, b);
        if (both === undefined) continue;
        for (let index = 0; index < 5; index++) {
          const document = randomDocument(random, pick(random, [both, both, a, b]));
          if (!accepts(both, document)) refused++;
          else {
            accepted++;
            if (!accepts(a, document) || !accepts(b, document))
              throw new Error(
                text({ round, a, b, both, document, a1: accepts(a, document), b1: accepts(b, document) }),
              );
          }
        }
      }
      // Otherwise it would say little.
      expect(accepted).toBeGreaterThan(ROUNDS / 4);
      expect(refused).toBeGreaterThan(ROUNDS / 2);
      return Promise.resolve();
    }));
});
