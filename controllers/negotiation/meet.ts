// The meet of schemas: what all of them accept. It is sound (nothing that one side refuses), and the order of the sides does
// not matter, nor whether they are put together at once or one after another.
import { fitted, joined, split } from "./conjuncts";
import {
  metCount,
  metEnum,
  metFormat,
  metList,
  metNullable,
  metRange,
  metType,
  typeOf,
  type Met,
} from "./keywords";
import { brief, differs, lostNames, names, valuesOf, type Loss, type Side } from "./loss";
import { metFields, type Meeting } from "./meet-fields";
import { canonical, distinct, isNever, text, type CelRule, type Schema } from "./schema";
import { accepts, hasType } from "./validate";

/** What all sides accept, and what it costs. Without a schema nothing fits all of them. */
export interface Meet {
  schema?: Schema;
  losses: readonly Loss[];
}

/** The meet of schemas of whole objects. */
export function meet(sides: readonly Side[]): Meet {
  const losses: Loss[] = [];
  const prepared = sides.map(({ name, schema }) => ({ name, schema: canonical(schema) }));
  const outcome = node(prepared, { path: "", root: true, losses });
  if (outcome.never === undefined) return { schema: canonical(outcome.schema), losses: inOrder(losses) };
  return { losses: inOrder([...losses, { ...outcome.never, effect: "Incompatible" }]) };
}

const RANK = ["Incompatible", "Dropped", "Narrowed", "Note"];
const inOrder = (losses: readonly Loss[]): Loss[] =>
  [...losses].sort((a, b) => RANK.indexOf(a.effect) - RANK.indexOf(b.effect) || (a.path < b.path ? -1 : 1));

/** The meet of the sides of one node: a schema, or why nothing fits. */
export type Outcome = { schema: Schema; never?: undefined } | { never: Omit<Loss, "effect"> };

export function node(sides: readonly Side[], at: Meeting): Outcome {
  const schemas = sides.map(({ schema }) => schema);
  const never = (rule: string, say: (schema: Schema) => unknown): Outcome => ({
    never: { path: at.path, rule, values: valuesOf(sides, say), losers: sides.map(({ name }) => name) },
  });
  if (schemas.some(isNever)) return never("not", (schema) => (isNever(schema) ? "nothing" : undefined));

  const type = metType(schemas);
  if (type === "never") return never("type", typeOf);
  const word = typeOf(type);
  const parts = sides.map(({ schema }) => split(schema));
  const apart = parts.flatMap(({ conjuncts }) => conjuncts);
  const keywords: readonly (readonly [rule: string, met: Met])[] = [
    ["type", type],
    ["nullable", metNullable(schemas)],
    ["enum", metEnum(schemas)],
    ["minimum", metRange(schemas, word)],
    ["minLength", metCount(schemas, "Length", word)],
    ["minItems", metCount(schemas, "Items", word)],
    [
      "format",
      metFormat(
        parts.map(({ skeleton }) => skeleton),
        apart,
      ),
    ],
    ["x-kubernetes-list-type", metList(schemas)],
  ];
  let result: Schema = {};
  for (const [rule, met] of keywords) {
    const about = KEYWORDS[rule] ?? [rule];
    const named = differing(schemas, about) ?? rule;
    const say = (schema: Schema): Schema => picked(schema, about);
    if (met === "never") return never(named, say);
    result = { ...result, ...met };
    // A list's kind and a flag of a map change nothing about which values are accepted, but for duplicates.
    note(at, sides, named, say, picked(met, about), rule === "x-kubernetes-list-type" ? "Note" : "Narrowed");
  }
  if (result.enum !== undefined) {
    const fits = result.enum.filter((value) => hasType(value, result));
    if (fits.length === 0) return never("enum", (schema) => schema.enum ?? typeOf(schema));
    result = { ...result, enum: fits };
  }

  const fields = metFields(sides, result, at, node);
  if ("never" in fields) return fields;
  result = fields.schema;

  const { allOf: formats = [], ...skeleton } = result;
  const conjuncts: Schema[] = [...formats];
  for (const part of distinct(apart.filter(({ format }) => format === undefined)) as Schema[]) {
    const fit = fitted(part, result);
    if (fit === false)
      return never(Object.keys(part)[0] ?? "allOf", (schema) =>
        split(schema).conjuncts.some((own) => text(own) === text(part)) ? part : undefined,
      );
    if (fit !== true) conjuncts.push(...split(fit).conjuncts, ...bare(split(fit).skeleton));
    const has = ({ schema }: Side): boolean =>
      split(schema).conjuncts.some((own) => text(own) === text(part));
    if (!sides.every(has))
      at.losses.push({
        path: at.path,
        rule: Object.keys(part)[0] ?? "allOf",
        effect: "Narrowed",
        values: Object.fromEntries(sides.map((side) => [side.name, has(side) ? brief(part) : "anything"])),
        losers: sides.filter((side) => !has(side)).map(({ name }) => name),
      });
  }
  result = joined(skeleton, conjuncts);
  result = withRules(sides, result, at);
  return { schema: withDefault(sides, result, at) };
}

const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  type: ["type", "x-kubernetes-int-or-string"],
  minimum: ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"],
  minLength: ["minLength", "maxLength"],
  minItems: ["minItems", "maxItems"],
  "x-kubernetes-list-type": [
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "uniqueItems",
  ],
};

// The keyword that a person has to look at: of several that are met together, the first that sides say differently.
const differing = (schemas: readonly Schema[], about: readonly string[]): string | undefined =>
  about.find((word) => new Set(schemas.map((schema) => text(picked(schema, [word])))).size > 1);

const bare = (schema: Schema): Schema[] => (Object.keys(schema).length === 0 ? [] : [schema]);

function picked(schema: Schema, about: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => about.includes(name)));
}

// Says where sides have something else than what came out.
function note(
  { path, losses }: Meeting,
  sides: readonly Side[],
  rule: string,
  say: (schema: Schema) => Schema,
  met: Schema,
  effect: Loss["effect"],
): void {
  const losers = sides.filter(({ schema }) => text(say(schema)) !== text(met)).map(({ name }) => name);
  if (losers.length > 0) losses.push({ path, rule, effect, values: valuesOf(sides, say), losers });
}

// The rules of all sides, but for those that name what is no longer there: only the cluster itself can check these.
function withRules(sides: readonly Side[], result: Schema, { path, losses }: Meeting): Schema {
  const kept: CelRule[] = [];
  for (const { name, schema } of sides) {
    const rules = schema["x-kubernetes-validations"] ?? [];
    if (rules.length === 0) continue;
    const lost = lostNames(schema, result);
    for (const rule of rules) {
      if (!differs(schema, result) && !lost.has("self") && !names(rule, lost)) kept.push(rule);
      else
        losses.push({
          path,
          rule: "x-kubernetes-validations",
          effect: "Note",
          values: { [name]: `${rule.rule} (checked by the cluster alone)` },
          losers: [],
        });
    }
  }
  return kept.length === 0 ? result : { ...result, "x-kubernetes-validations": distinct(kept) as CelRule[] };
}

function withDefault(sides: readonly Side[], result: Schema, { path, losses }: Meeting): Schema {
  const values = sides.flatMap(({ schema }) => (schema.default === undefined ? [] : [schema.default]));
  if (values.length === 0) return result;
  const [value] = values;
  const all = values.length === sides.length && values.every((one) => text(one) === text(value));
  if (all && accepts(result, value)) return { ...result, default: value };
  losses.push({
    path,
    rule: "default",
    effect: "Note",
    values: valuesOf(sides, (schema) => schema.default ?? "none"),
    losers: [],
  });
  return result;
}
