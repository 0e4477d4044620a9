// The meet of single keywords: what all sides accept. Absent means everything; undefined means that nothing fits.
import { distinct, text, type Schema } from "./schema";

/** A keyword's meet: the part of the schema that says it, or `never` if nothing fits. */
export type Met = Schema | "never";

const INT_OR_STRING = "int-or-string";

/** The type as one word; undefined if any is accepted. */
export function typeOf(schema: Schema): string | undefined {
  return schema["x-kubernetes-int-or-string"] === true ? INT_OR_STRING : schema.type;
}

/** The type that all sides accept. */
export function metType(sides: readonly Schema[]): Met {
  let types = [...new Set(sides.flatMap((side) => typeOf(side) ?? []))];
  if (types.includes("integer")) types = types.filter((type) => type !== "number");
  if (types.includes(INT_OR_STRING)) {
    // A number that is also an integer or a text is an integer.
    if (types.includes("number")) types = [...types.filter((type) => type !== "number"), "integer"];
    if (types.some((type) => type !== INT_OR_STRING && type !== "integer" && type !== "string"))
      return "never";
    if (types.length > 1) types = types.filter((type) => type !== INT_OR_STRING);
    types = [...new Set(types)];
  }
  const [type, ...more] = types;
  if (more.length > 0) return "never";
  if (type === undefined) return {};
  return type === INT_OR_STRING ? { "x-kubernetes-int-or-string": true } : { type };
}

/** What becomes of null: dropped where a field may not be null, accepted, or refused by an enum without it. */
type NullMode = "dropped" | "accepted" | "refused";

function nullMode(side: Schema): NullMode {
  if (side.nullable !== true) return "dropped";
  return side.enum === undefined || side.enum.includes(null) ? "accepted" : "refused";
}

/** Whether null is a value. A field that refuses it must go on doing so and not become one that drops it. */
export function metNullable(sides: readonly Schema[]): Schema {
  const modes = sides.map(nullMode);
  return modes.includes("refused") || modes.every((mode) => mode === "accepted") ? { nullable: true } : {};
}

/** The values that all sides list. */
export function metEnum(sides: readonly Schema[]): Met {
  const lists = sides.flatMap(({ enum: values }) => (values === undefined ? [] : [values]));
  const [first, ...others] = lists;
  if (first === undefined) return {};
  const left = first.filter((value) =>
    others.every((list) => list.some((other) => text(other) === text(value))),
  );
  return left.length === 0 ? "never" : { enum: distinct(left) };
}

/** The tighter of bounds of numbers, with the flag that says whether the bound itself counts. */
export function metRange(sides: readonly Schema[], type: string | undefined): Met {
  const lower = tightest(sides, "minimum", "exclusiveMinimum", 1);
  const upper = tightest(sides, "maximum", "exclusiveMaximum", -1);
  const [min, max] = [lower.minimum, upper.maximum];
  if (min !== undefined && max !== undefined && (type === "integer" || type === "number")) {
    const open = lower.exclusiveMinimum === true || upper.exclusiveMaximum === true;
    if (min > max || (min === max && open)) return "never";
    if (type === "integer" && lowest(min, lower.exclusiveMinimum) > highest(max, upper.exclusiveMaximum))
      return "never";
  }
  return { ...lower, ...upper };
}

const lowest = (min: number, open = false): number => (open ? Math.floor(min) + 1 : Math.ceil(min));
const highest = (max: number, open = false): number => (open ? Math.ceil(max) - 1 : Math.floor(max));

function tightest(
  sides: readonly Schema[],
  bound: "minimum" | "maximum",
  flag: "exclusiveMinimum" | "exclusiveMaximum",
  sign: 1 | -1,
): Schema {
  const bounds = sides.flatMap((side) => side[bound] ?? []);
  if (bounds.length === 0) return {};
  const value = sign * Math.max(...bounds.map((one) => sign * one));
  const open = sides.some((side) => side[bound] === value && side[flag] === true);
  return { [bound]: value === 0 ? 0 : value, ...(open ? { [flag]: true } : {}) };
}

type Count = "Length" | "Items" | "Properties";
const COUNTED: Readonly<Record<Count, string>> = { Length: "string", Items: "array", Properties: "object" };

/** The tighter of lengths and counts. */
export function metCount(sides: readonly Schema[], what: Count, type: string | undefined): Met {
  const [lower, upper] = [`min${what}`, `max${what}`] as const;
  const mins = sides.flatMap((side) => side[lower] ?? []);
  const maxes = sides.flatMap((side) => side[upper] ?? []);
  const [min, max] = [Math.max(0, ...mins), Math.min(...maxes)];
  if (type === COUNTED[what] && (min > max || max < 0)) return "never";
  return {
    ...(min > 0 ? { [lower]: min } : {}),
    ...(maxes.length > 0 ? { [upper]: max } : {}),
  };
}

/**
 * The format that all sides ask for. The API server takes a list for a text that has a format at its type, so a format that not
 * all sides have is asked for apart from the type.
 */
export function metFormat(sides: readonly Schema[], conjuncts: readonly Schema[]): Met {
  const own = sides.map(({ format }) => format);
  const apart = conjuncts.flatMap(({ format }) => format ?? []);
  let all = [...new Set([...own.filter((format) => format !== undefined), ...apart])];
  if (all.includes("int32")) all = all.filter((format) => format !== "int64");
  const [format, ...more] = all;
  if (format === undefined) return {};
  if (more.length > 0) return "never";
  const numeric = /^u?int(?:32|64)$/.test(format);
  const everywhere = own.every((one) => one === format || (numeric && one !== undefined));
  return everywhere || numeric ? { format } : { allOf: [{ format }] };
}

/** Whether a list's entries must differ: the stricter. Nothing fits lists that are distinguished by different keys. */
export function metList(sides: readonly Schema[]): Met {
  const types = [...new Set(sides.flatMap((side) => side["x-kubernetes-list-type"] ?? []))];
  const keys = new Set(sides.flatMap((side) => listKeys(side)));
  if (types.length > 1 || keys.size > 1) return "never";
  const [type] = types;
  const [first] =
    sides.flatMap((side) => side["x-kubernetes-list-map-keys"] ?? []).length > 0
      ? [distinct(sides.flatMap((side) => side["x-kubernetes-list-map-keys"] ?? []))]
      : [undefined];
  return {
    ...(type === undefined ? {} : { "x-kubernetes-list-type": type }),
    ...(first === undefined ? {} : { "x-kubernetes-list-map-keys": first as string[] }),
    ...(sides.some((side) => side.uniqueItems === true) ? { uniqueItems: true } : {}),
    ...(sides.some((side) => side["x-kubernetes-map-type"] === "atomic")
      ? { "x-kubernetes-map-type": "atomic" }
      : {}),
  };
}

const listKeys = (side: Schema): string[] =>
  side["x-kubernetes-list-map-keys"] === undefined ? [] : [text(side["x-kubernetes-list-map-keys"])];
