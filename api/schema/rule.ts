import { z } from "zod";

/** One rule that two validators apply: the API server by the CEL expression, TypeScript by the function. */
export interface Rule<Value> {
  /** The CEL expression; `self` is the value. */
  cel: string;
  /** The same in TypeScript. A table of objects proves that the two agree. */
  holds: (value: Value) => boolean;
  /** The rule and the fix; the field and the value found are added by whoever reports it. */
  message: string;
  /** The field below the value that is to blame. */
  field?: string;
}

/** What a structural schema says and zod has no word for. */
export interface Extras {
  rules?: readonly CelRule[];
  /** Keywords that go into the structural schema as they are, such as `x-kubernetes-list-type`. */
  keywords?: Readonly<Record<string, unknown>>;
}

/** An entry of `x-kubernetes-validations`. */
export interface CelRule {
  rule: string;
  message: string;
  fieldPath?: string;
}

const extras = z.registry<Extras>();

/** What was added to a schema by {@link withRule} and {@link withKeywords}. */
export function extrasOf(schema: z.core.$ZodType): Extras {
  return extras.get(schema) ?? {};
}

/** The schema with keywords for the structural schema. */
export function withKeywords<Schema extends z.ZodType>(
  schema: Schema,
  keywords: Readonly<Record<string, unknown>>,
): Schema {
  return add(schema.clone(), schema, { keywords });
}

/** The schema with a rule on its value. */
export function withRule<Schema extends z.ZodType>(schema: Schema, rule: Rule<z.output<Schema>>): Schema {
  const { cel, holds, message, field } = rule;
  const checked = schema.superRefine((value, context) => {
    if (!holds(value))
      context.addIssue({ code: "custom", message, path: field === undefined ? [] : [field] });
  });
  return add(checked, schema, { rules: [celRule(cel, message, field)] });
}

/** The entry of `x-kubernetes-validations` for an expression. */
export function celRule(cel: string, message: string, field?: string): CelRule {
  return { rule: cel, message, ...(field === undefined ? {} : { fieldPath: `.${field}` }) };
}

/** A regular expression that must match the whole text, in the subset that RE2 and JavaScript share. */
export function matching(source: string, message: string): Rule<string> {
  const anchored = `^(?:${source})$`;
  const expression = new RegExp(anchored);
  return { cel: `self.matches(${celRaw(anchored)})`, holds: (text) => expression.test(text), message };
}

/** A list of strings as CEL writes it. */
export function celList(items: readonly string[]): string {
  return `[${items.map((item) => JSON.stringify(item)).join(", ")}]`;
}

/** A CEL string without escapes, for regular expressions. */
export function celRaw(text: string): string {
  if (text.includes('"')) throw new Error(`A raw CEL string cannot hold a double quote: ${text}`);
  return `r"${text}"`;
}

function add<Schema extends z.ZodType>(schema: Schema, from: Schema, more: Extras): Schema {
  const before = extrasOf(from);
  extras.add(schema, {
    rules: [...(before.rules ?? []), ...(more.rules ?? [])],
    keywords: { ...before.keywords, ...more.keywords },
  });
  return schema;
}
