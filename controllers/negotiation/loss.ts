// What a meet costs: where the sides differ, what each says, and what follows.
import { typeOf } from "./keywords";
import { mapValue, text, type CelRule, type Schema } from "./schema";

/** One schema and whose it is. */
export interface Side {
  name: string;
  schema: Schema;
}

/** A place at which sides differ. */
export interface Loss {
  /** The field, such as `spec.replicas`; `[]` is an entry of a list and `{}` a value of a map. */
  path: string;
  /** The keyword. */
  rule: string;
  effect: "Narrowed" | "Dropped" | "Incompatible" | "Note";
  /** What each side says. */
  values: Readonly<Record<string, string>>;
  /** The sides that lose by it: they accepted more. */
  losers: readonly string[];
}

/** What each side says about some keywords, as text. */
export function valuesOf(
  sides: readonly Side[],
  say: (schema: Schema) => unknown,
): Readonly<Record<string, string>> {
  return Object.fromEntries(sides.map(({ name, schema }) => [name, brief(say(schema))]));
}

/** A value as short text; `anything` where there is none. */
export function brief(value: unknown): string {
  if (value === undefined || text(value) === "{}") return "anything";
  const written = typeof value === "string" ? value : text(value);
  return written.length > 500 ? `${written.slice(0, 499)}…` : written;
}

/** The fields below a schema that are gone, or of another type, in what became of it. */
export function lostNames(before: Schema, after: Schema): Set<string> {
  const lost = new Set<string>();
  collect(before, after, lost);
  return lost;
}

function collect(before: Schema, after: Schema, lost: Set<string>): void {
  for (const [name, field] of Object.entries(before.properties ?? {})) {
    const now = after.properties?.[name] ?? mapValue(after);
    if (now === undefined || differs(field, now)) lost.add(name);
    else collect(field, now, lost);
  }
  if (before.items !== undefined && after.items !== undefined) inner(before.items, after.items, lost);
  const [value, valueNow] = [mapValue(before), mapValue(after)];
  if (value !== undefined && valueNow !== undefined) inner(value, valueNow, lost);
}

// What has no name of its own: where its type changes, nothing that looks into it can be kept.
function inner(before: Schema, after: Schema, lost: Set<string>): void {
  if (differs(before, after)) lost.add("self");
  collect(before, after, lost);
}

/** Whether an expression that was written for a node no longer means the same for another. */
export function differs(before: Schema, after: Schema): boolean {
  return (
    typeOf(before) !== typeOf(after) ||
    before.format !== after.format ||
    (mapValue(before) === undefined) !== (mapValue(after) === undefined)
  );
}

/** Whether a rule names one of the fields. A name that CEL cannot write stands there in its escaped form. */
export function names(
  { rule, messageExpression = "", fieldPath = "" }: CelRule,
  fields: Set<string>,
): boolean {
  const words = new Set(`${rule} ${messageExpression} ${fieldPath}`.match(/[A-Za-z_$][\w$-]*/g) ?? []);
  return [...fields].some(
    (field) => words.has(field) || words.has(escaped(field)) || words.has(`__${field}__`),
  );
}

const escaped = (field: string): string =>
  field
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
