// The meet of what an object and a list hold: properties, values of maps, entries.
import { metCount } from "./keywords";
import { valuesOf, type Loss, type Side } from "./loss";
import type { Outcome } from "./meet";
import { distinct, isOpen, mapValue, NEVER, type Schema } from "./schema";

/** Where a meet is, and where it says what it costs. */
export interface Meeting {
  path: string;
  root?: boolean;
  losses: Loss[];
}

type MeetNode = (sides: readonly Side[], at: Meeting) => Outcome;

const OPEN = "x-kubernetes-preserve-unknown-fields";
const EMBEDDED = "x-kubernetes-embedded-resource";
/** What every object has, whether its schema names it or not. */
const OBJECT_FIELDS = ["apiVersion", "kind", "metadata"];

/** The node with its fields and entries. */
export function metFields(sides: readonly Side[], met: Schema, at: Meeting, meetNode: MeetNode): Outcome {
  const withItems = metItems(sides, met, at, meetNode);
  if ("never" in withItems) return withItems;
  if (met.type !== undefined && met.type !== "object") return withItems;
  if (met["x-kubernetes-int-or-string"] === true) return withItems;
  return metObject(sides, withItems.schema, at, meetNode);
}

function metItems(sides: readonly Side[], met: Schema, at: Meeting, meetNode: MeetNode): Outcome {
  const lists = sides.flatMap(({ name, schema }) =>
    schema.items === undefined ? [] : [{ name, schema: schema.items }],
  );
  if (lists.length === 0 || (met.type !== undefined && met.type !== "array")) return { schema: met };
  const entry = meetNode(lists, { path: `${at.path}[]`, losses: at.losses });
  if (!("never" in entry) || entry.never === undefined) return { schema: { ...met, items: entry.schema } };
  if ((met.minItems ?? 0) > 0) return entry;
  at.losses.push({ ...entry.never, effect: "Dropped" });
  // Only an empty list is left.
  return { schema: { ...met, items: NEVER, maxItems: 0 } };
}

/** What fields may be that a schema does not name: undefined if it takes none. */
function restOf(schema: Schema): Schema | undefined {
  const value = mapValue(schema);
  if (value !== undefined) return value;
  // The server counts a null in a field that no schema names and forgets one in a field that some schema names. Where fields are
  // counted, only those that are named are let through.
  if (schema.maxProperties !== undefined) return undefined;
  return isOpen(schema) || schema.type === undefined ? { [OPEN]: true } : undefined;
}

function metObject(sides: readonly Side[], met: Schema, at: Meeting, meetNode: MeetNode): Outcome {
  const never = (rule: string, say: (schema: Schema) => unknown, path = at.path): Outcome => ({
    never: { path, rule, values: valuesOf(sides, say), losers: sides.map(({ name }) => name) },
  });
  if (!sides.some(({ schema }) => holdsFields(schema))) {
    const counts = metCount(
      sides.map(({ schema }) => schema),
      "Properties",
      met.type,
    );
    if (counts === "never") return never("minProperties", sizes);
    const open = sides.every(({ schema }) => isOpen(schema)) || met.type === undefined;
    const fieldless = sides.some(({ schema }) => restOf(schema) === undefined) || !open;
    return { schema: { ...met, ...counts, ...(fieldless ? {} : { [OPEN]: true }) } };
  }
  const embedded = sides.filter(({ schema }) => schema[EMBEDDED] === true);
  const takesAny = (schema: Schema): boolean => schema[EMBEDDED] === true || isAnything(restOf(schema));
  if (embedded.length > 0 && !sides.every(({ schema }) => takesAny(schema)))
    return never(EMBEDDED, (schema) => schema[EMBEDDED] ?? false);

  const whole = embedded.length > 0 || at.root === true;
  let result: Schema = embedded.length > 0 ? { ...met, [EMBEDDED]: true } : met;
  const required = distinct(sides.flatMap(({ schema }) => schema.required ?? [])) as string[];
  const named = distinct(sides.flatMap(({ schema }) => Object.keys(schema.properties ?? {}))) as string[];

  let rest: Schema | undefined;
  const rests = sides.flatMap(({ name, schema }) => {
    const own = restOf(schema);
    return own === undefined ? [] : [{ name, schema: own }];
  });
  if (rests.length === sides.length) {
    const outcome = meetNode(rests, { path: `${at.path}{}`, losses: at.losses });
    if (outcome.never === undefined) rest = outcome.schema;
    else at.losses.push({ ...outcome.never, effect: "Dropped" });
  }

  const properties: Record<string, Schema> = {};
  for (const name of named) {
    const path = at.path === "" ? name : `${at.path}.${name}`;
    const fields = sides.flatMap((side) => fieldSide(side, name, whole) ?? []);
    const outcome =
      fields.length < sides.length
        ? unknownField(sides, name, path, fields)
        : meetNode(fields, { path, losses: at.losses });
    if (outcome.never === undefined) properties[name] = outcome.schema;
    else if (required.includes(name)) return outcome;
    else {
      at.losses.push({ ...outcome.never, effect: "Dropped" });
      if (rest !== undefined) properties[name] = NEVER;
    }
  }
  if (whole && properties.metadata !== undefined) properties.metadata = withoutOpen(properties.metadata);
  if (Object.keys(properties).length > 0) result = { ...result, properties };
  const counted = sides.some(({ schema }) => schema.maxProperties !== undefined);
  if (isAnything(rest) && !counted) result = { ...result, [OPEN]: true };
  else if (rest !== undefined) result = { ...result, additionalProperties: rest };
  const impossible =
    rest === undefined
      ? required.find((name) => !(name in properties) && !(whole && OBJECT_FIELDS.includes(name)))
      : undefined;
  if (impossible !== undefined)
    return never(
      "required",
      (schema) => schema.required?.includes(impossible) === true,
      at.path === "" ? impossible : `${at.path}.${impossible}`,
    );
  for (const { name, schema } of sides) {
    const missing = required.filter((field) => !(schema.required ?? []).includes(field));
    if (missing.length > 0 && schema.type !== undefined)
      at.losses.push({
        path: at.path,
        rule: "required",
        effect: "Narrowed",
        values: valuesOf(sides, (one) => one.required ?? []),
        losers: [name],
      });
  }
  if (required.length > 0) result = { ...result, required };
  const kept = new Set(
    Object.entries(result.properties ?? {}).flatMap(([name, field]) =>
      field.default === undefined ? [] : [name],
    ),
  );
  const counts = metCount(
    sides.map(({ schema }) => lowered(schema, kept)),
    "Properties",
    met.type,
  );
  if (counts === "never") return never("minProperties", sizes);
  return { schema: { ...result, ...counts } };
}

const sizes = ({ minProperties, maxProperties }: Schema): unknown => ({ minProperties, maxProperties });
const holdsFields = (schema: Schema): boolean =>
  schema.properties !== undefined ||
  schema.required !== undefined ||
  schema.additionalProperties !== undefined ||
  schema[EMBEDDED] === true ||
  (schema.type === "object" && !isOpen(schema));
const isAnything = (schema: Schema | undefined): boolean =>
  schema !== undefined && isOpen(schema) && Object.keys(schema).length === 1;

function unknownField(sides: readonly Side[], name: string, path: string, fields: readonly Side[]): Outcome {
  const says = (schema: Schema): string =>
    schema.properties?.[name] !== undefined || restOf(schema) !== undefined ? "known" : "unknown";
  const losers = fields.map((side) => side.name);
  return { never: { path, rule: "properties", values: valuesOf(sides, says), losers } };
}

// A side fills in defaults of its own before it counts: where all together fill in none, an object must leave room for them.
function lowered(schema: Schema, kept: ReadonlySet<string>): Schema {
  if (schema.maxProperties === undefined) return schema;
  const own = Object.entries(schema.properties ?? {}).filter(
    ([name, field]) => field.default !== undefined && !kept.has(name),
  );
  return { ...schema, maxProperties: schema.maxProperties - own.length };
}

/** What a side says of a field: undefined if it does not know it, nothing to say if it takes any. */
function fieldSide({ name, schema }: Side, field: string, whole: boolean): Side | undefined {
  const own = schema.properties?.[field] ?? mapValue(schema);
  if (whole && field === "metadata")
    return { name, schema: { ...(own ?? { type: "object" }), [OPEN]: true } };
  if (own !== undefined) return { name, schema: own };
  const rest = restOf(schema) ?? (whole && OBJECT_FIELDS.includes(field) ? { [OPEN]: true } : undefined);
  return rest === undefined ? undefined : { name, schema: rest };
}

function withoutOpen(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== OPEN));
}
