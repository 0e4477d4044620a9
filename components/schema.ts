// Schemas of arguments: the shape, the defaults and the values of each. What a schema finds wrong is said in the words of
// problem.ts; the kinds of api/ speak the API server's language instead, which here would name paths that nobody wrote.
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { nearest } from "./nearest";
import { describe, found, isDeferred, joined, keyed, type Problem, shown } from "./problem";

/** A schema for every argument of an interface, so that the two cannot differ. Transforms are functions and stay out. */
export type ShapeOf<Args> = { [Key in keyof Required<Omit<Args, "transform">>]: z.ZodType };

/** A text that may be known only later. */
export function input(): z.ZodType<pulumi.Input<string>> {
  return z.custom<pulumi.Input<string>>(
    (value) => isDeferred(value) || typeof value === "string",
    "use text, in quotes where YAML would read something else",
  );
}

/** Labels or tags. */
export function textMap(): z.ZodRecord<z.ZodString, z.ZodString> {
  return z.record(z.string(), z.string());
}

/** What a schema makes of a value: everything that is wrong, and the settings with all defaults where nothing is. */
export type Checked<Settings> =
  { ok: true; settings: Settings } | { ok: false; settings: Settings | undefined; problems: Problem[] };

/** What helps a check to say more. */
export interface CheckOptions {
  /** Keys that may stand beside those of the schema, for suggestions. @default [] */
  siblings?: readonly string[];
  /** What stands in for a required argument that is wrong or missing, by its path, so that others are still compared. @default {} */
  placeholders?: Readonly<Record<string, unknown>>;
}

/**
 * Checks a value. Where something is wrong, `settings` is what is left without it, for the checks that compare one
 * setting with another: a misspelled key must not hide them. Undefined where too little is left.
 */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { siblings = [], placeholders = {} }: CheckOptions = {},
): Checked<z.output<Schema>> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, settings: result.data };
  const all = result.error.issues.flatMap((issue) => problemsOf(issue, schema, value, siblings));
  // Of several rules that one value breaks, the first says most.
  const problems = all.filter(({ path }, index) => all.findIndex((one) => one.path === path) === index);
  return { ok: false, settings: salvaged(schema, value, result.error.issues, placeholders), problems };
}

/** The same with further checks, which get the settings with all defaults. */
export function refined<Settings>(
  checked: Checked<Settings>,
  more: (settings: Settings) => readonly Problem[],
): Checked<Settings> {
  const { settings } = checked;
  if (settings === undefined) return checked;
  const first = checked.ok ? [] : checked.problems;
  const paths = new Set(first.map(({ path }) => path));
  const problems = [...first, ...more(settings).filter(({ path }) => !paths.has(path))];
  return problems.length === 0 ? { ok: true, settings } : { ok: false, settings, problems };
}

/** The same with settings that follow from others filled in. */
export function mapped<From, To>(checked: Checked<From>, map: (settings: From) => To): Checked<To> {
  if (checked.ok) return { ok: true, settings: map(checked.settings) };
  const { settings, problems } = checked;
  return { ok: false, settings: settings === undefined ? undefined : map(settings), problems };
}

/** The settings with all defaults; throws one error with all problems where something is wrong. */
export function settingsOf<Settings>(
  what: string,
  checked: Checked<Settings>,
  resource: pulumi.Resource | undefined,
): Settings {
  if (checked.ok) return checked.settings;
  throw new pulumi.ResourceError(describe(what, checked.problems), resource, true);
}

/** Arguments whose values no message shows; the address of a proxy may have a password in it. */
const SECRET = /privateKey|password|token|outboundProxy\.https?$/i;

/** The problems that an issue stands for. */
function problemsOf(
  issue: z.core.$ZodIssue,
  schema: z.ZodType,
  root: unknown,
  siblings: readonly string[],
): Problem[] {
  const path = pathOf(issue.path);
  const value = valueAt(root, issue.path);
  if (issue.code !== "unrecognized_keys") {
    if (!SECRET.test(path)) return [{ path, message: found(value, fixOf(issue)) }];
    const isSet = value !== undefined && value !== "";
    return [{ path, message: `${isSet ? "found a value" : "not set"}: ${fixOf(issue)}` }];
  }
  const known = [...keysAt(schema, issue.path), ...(path === "" ? siblings : [])];
  return issue.keys.map((key) => ({ path: keyed(path, key), message: unknownKey(key, known) }));
}

/** What to do about a key that nobody knows. */
export function unknownKey(key: string, known: readonly string[], prefix = ""): string {
  const meant = nearest(key, known);
  return meant === undefined
    ? `unknown setting: remove it, or use one of ${known.map((name) => `${prefix}${name}`).join(", ")}`
    : `unknown setting: did you mean ${prefix}${meant}?`;
}

const TYPES: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a whole number",
  string: "text, in quotes where YAML would read something else",
  boolean: "true or false",
  array: "a list",
  object: "keys and values",
  record: "keys and values",
};

function fixOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `use ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `use ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `use ${UNITS[issue.origin] ?? ""}${issue.minimum} or more`;
    case "too_big":
      return `use ${UNITS[issue.origin] ?? ""}${issue.maximum} or less`;
    case "invalid_format":
      return `use the form ${issue.pattern ?? issue.format}`;
    case "custom":
    case "invalid_element":
    case "invalid_key":
    case "invalid_union":
    case "not_multiple_of":
    case "unrecognized_keys":
      return issue.message;
  }
}

const UNITS: Readonly<Record<string, string>> = { string: "a length of ", array: "a list of " };

/** A path as people write it: `pools[0].name`. */
function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (before, part) => (typeof part === "number" ? `${before}[${part}]` : keyed(before, String(part))),
    "",
  );
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (here, part) => (typeof here === "object" && here !== null ? Reflect.get(here, part) : undefined),
    root,
  );
}

/** The keys that the schema knows at a path. */
function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  let here: z.core.$ZodType | undefined = schema;
  for (const part of path) {
    here = memberOf(here, part);
    if (here === undefined) return [];
  }
  const inner = unwrapped(here);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

function memberOf(schema: z.core.$ZodType, part: PropertyKey): z.core.$ZodType | undefined {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject) return (inner.shape as Record<PropertyKey, z.core.$ZodType>)[part];
  if (inner instanceof z.ZodArray) return inner.element;
  return inner instanceof z.ZodRecord ? inner.valueType : undefined;
}

/** A schema without what makes it optional. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return unwrapped(schema.unwrap());
  return schema instanceof z.ZodPipe ? unwrapped(schema.in) : schema;
}

/** What is left of a value without what is wrong: the nearest optional setting around each problem is left out. */
function salvaged<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  first: readonly z.core.$ZodIssue[],
  placeholders: Readonly<Record<string, unknown>>,
): z.output<Schema> | undefined {
  const rest: unknown = clone(value);
  let issues = first;
  for (let attempt = 0; attempt < 16; attempt += 1) {
    for (const issue of issues) {
      if (!replace(rest, issue, placeholders) && !remove(rest, issue)) return undefined;
    }
    const result = schema.safeParse(rest);
    if (result.success) return result.data;
    issues = result.error.issues;
  }
  return undefined;
}

function replace(
  root: unknown,
  { path }: z.core.$ZodIssue,
  placeholders: Readonly<Record<string, unknown>>,
): boolean {
  const [owner, key, name] = [valueAt(root, path.slice(0, -1)), path.at(-1), pathOf(path)];
  if (key === undefined || typeof owner !== "object" || owner === null) return false;
  return Object.hasOwn(placeholders, name) && Reflect.set(owner, key, placeholders[name]);
}

function remove(root: unknown, issue: z.core.$ZodIssue): boolean {
  if (issue.code === "unrecognized_keys") {
    const owner = valueAt(root, issue.path);
    if (typeof owner === "object" && owner !== null)
      for (const key of issue.keys) Reflect.deleteProperty(owner, key);
    return true;
  }
  for (let depth = issue.path.length; depth > 0; depth -= 1) {
    const [owner, key] = [valueAt(root, issue.path.slice(0, depth - 1)), issue.path[depth - 1] ?? ""];
    // Of a list everything goes, so that the paths of the others stay right.
    if (typeof owner !== "object" || owner === null || Array.isArray(owner) || !(key in owner)) continue;
    return Reflect.deleteProperty(owner, key);
  }
  return false;
}

function clone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clone);
  if (typeof value !== "object" || value === null || isDeferred(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, clone(member)]));
}

/** A list in which a name must not stand twice. */
export function repeated(path: string, names: readonly (string | undefined)[], key = "name"): Problem[] {
  return names.flatMap((name, index) => {
    const earlier = name === undefined ? -1 : names.indexOf(name);
    return earlier === -1 || earlier === index
      ? []
      : [
          {
            path: joined(`${path}[${index}]`, key),
            message: `found ${shown(name)}, which ${path}[${earlier}] has too: give each its own`,
          },
        ];
  });
}
