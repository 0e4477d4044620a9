// Documents that fit a schema, made to show what another refuses.
import { isOpen, mapValue, type Schema } from "./schema";
import { accepts } from "./validate";

const TEXTS = [
  "a",
  "",
  "ab",
  "abc",
  "x",
  "0",
  "1",
  "10",
  "1m",
  "10Mi",
  "1h",
  "a.b",
  "A",
  "v1",
  "/a",
  "https://a.b",
  "!",
];
/** In how many objects a value is tried: branches may ask for a neighbour. */
const AROUND = 8;
const TIMES = ["2030-01-31T00:00:00Z", "2030-01-31"];

const firsts = new WeakMap<Schema, { value: unknown }>();

/** The simplest value that fits a node; undefined if none is found. Sought once for each node, however many look for it. */
function simplest(schema: Schema): unknown {
  let known = firsts.get(schema);
  if (known === undefined) {
    known = { value: undefined };
    firsts.set(schema, known);
    for (const value of examples(schema)) {
      known.value = value;
      break;
    }
  }
  return known.value;
}

/** Values of a node that fit it, the simplest first. */
export function* examples(schema: Schema): Generator {
  for (const candidate of candidates(schema)) if (accepts(schema, candidate)) yield candidate;
}

function* candidates(schema: Schema): Generator {
  const { minimum = 0, maximum = 0, minLength = 0, maxLength = 0, minItems = 0, maxItems = 1, type } = schema;
  yield* schema.enum ?? [];
  if (schema.default !== undefined) yield schema.default;
  if (type === "boolean" || type === undefined) yield* [true, false];
  if (type !== "object" && type !== "array" && type !== "boolean") {
    yield* [1, minimum, minimum + 1, maximum, maximum - 1, 0, -1, 0.5, 2, 7, 1e6, ...TEXTS, ...TIMES];
    yield* [minLength, maxLength, 300].map((length) => "a".repeat(Math.min(length, 70_000)));
  }
  if (type === "object" || type === undefined) yield* objects(schema);
  if (type === "array") {
    if (minItems === 0) yield [];
    yield* lists(schema, Math.max(minItems, Math.min(maxItems, 20)));
  }
  if (schema.nullable === true) yield null;
}

function* objects(schema: Schema): Generator<Record<string, unknown>> {
  const required = schema.required ?? [];
  const least = withFields(schema, required);
  yield least;
  if (isOpen(schema)) yield { ...least, anything: 1 };
  const value = mapValue(schema);
  if (value !== undefined) yield { ...least, key: simplest(value) };
  const names = Object.keys(schema.properties ?? {});
  for (const name of names) yield withFields(schema, [...required, name]);
  // Branches often ask for one of two fields beside those that are always needed.
  for (const name of names.slice(0, 6))
    for (const other of names.slice(0, 6)) yield withFields(schema, [...required, name, other]);
}

function withFields(schema: Schema, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const field = schema.properties?.[name] ?? mapValue(schema);
      const value = field === undefined ? undefined : simplest(field);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function* lists(schema: Schema, length: number): Generator<unknown[]> {
  if (schema.items === undefined) return;
  const values: unknown[] = [];
  for (const value of examples(schema.items)) if (values.push(value) >= length) break;
  const [first] = values;
  if (first === undefined) return;
  yield* [[first], values, [first, first], Array.from({ length }, () => first)];
}

/** Documents that may fit a schema, and that have something at a path: each with another value there. */
export function* documentsAt(schema: Schema, path: string): Generator {
  // First with no more around it than is needed, then with a neighbour that a branch may ask for.
  for (const around of [1, AROUND]) yield* placed(schema, path, around);
}

function* placed(schema: Schema, path: string, most: number): Generator {
  if (path === "") {
    yield* examples(schema);
    return;
  }
  const step = stepInto(schema, path);
  if (step === undefined) return;
  const { name } = step;
  const arounds: Record<string, unknown>[] = [];
  if (name !== undefined) for (const one of objects(schema)) if (arounds.push(one) >= most) break;
  for (const value of placed(step.schema, step.rest, most)) {
    if (name === undefined) yield [value];
    else for (const around of arounds) yield { ...around, [name]: value };
  }
}

function stepInto(schema: Schema, path: string): { schema: Schema; rest: string; name?: string } | undefined {
  const rest = (length: number): string => path.slice(length).replace(/^[.]/, "");
  if (path.startsWith("[]")) return schema.items && { schema: schema.items, rest: rest(2) };
  if (path.startsWith("{}")) {
    const value = mapValue(schema) ?? { "x-kubernetes-preserve-unknown-fields": true };
    return { schema: value, rest: rest(2), name: "key" };
  }
  const names = Object.keys(schema.properties ?? {}).sort((a, b) => b.length - a.length);
  const name = names.find((one) => path.startsWith(one) && /^(?:$|[.[{])/.test(path.slice(one.length)));
  const field = name === undefined ? undefined : schema.properties?.[name];
  return name === undefined || field === undefined
    ? undefined
    : { schema: field, rest: rest(name.length), name };
}
