// What holds together: `allOf` and the keywords of which a node can have only one, as a set of parts.
import { distinct, isNever, isOpen, mapValue, text, type Schema } from "./schema";

/** Keywords that cannot be put together into one of their kind. */
const SINGLE = ["pattern", "multipleOf", "anyOf", "oneOf", "not"] as const;

const PROSE = ["description", "title", "example"] as const;
const BOUNDS = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"] as const;
const GROUPED = [...SINGLE, ...BOUNDS, ...PROSE] as const;

/** A schema without the parts, and the parts, each of which must hold. */
export interface Split {
  skeleton: Schema;
  conjuncts: readonly Schema[];
}

/** Takes a schema apart. */
export function split(schema: Schema): Split {
  const apart = (name: string): boolean => name === "allOf" || (SINGLE as readonly string[]).includes(name);
  const some = (wanted: boolean): Schema =>
    Object.fromEntries(Object.entries(schema).filter(([name]) => apart(name) === wanted));
  return { skeleton: some(false), conjuncts: parts(some(true)) };
}

// The parts of a schema that has no type: an `allOf` in an `allOf` says nothing more than its parts.
function parts(schema: Schema): Schema[] {
  const { allOf = [], ...rest } = schema;
  const single = SINGLE.flatMap((name): Schema[] => {
    const value = schema[name];
    if (value === undefined) return [];
    if (name === "anyOf" || name === "oneOf")
      return [
        { [name]: name === "anyOf" ? distinct(schema.anyOf?.map(whole)) : sorted(schema.oneOf?.map(whole)) },
      ];
    return [{ [name]: name === "not" ? whole(schema.not ?? {}) : value }];
  });
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = rest;
  const others = Object.entries(rest).filter(
    ([name, value]) => value !== undefined && !(GROUPED as readonly string[]).includes(name),
  );
  return [
    ...single,
    // A bound and its flag belong together.
    ...(minimum === undefined
      ? []
      : [{ minimum, ...(exclusiveMinimum === true ? { exclusiveMinimum } : {}) }]),
    ...(maximum === undefined
      ? []
      : [{ maximum, ...(exclusiveMaximum === true ? { exclusiveMaximum } : {}) }]),
    ...others.map(([name, value]): Schema => nested(name, value)),
    ...allOf.flatMap((part) => parts(part)),
  ];
}

function nested(name: string, value: unknown): Schema {
  if (name === "properties" && typeof value === "object" && value !== null)
    return {
      properties: Object.fromEntries(
        Object.entries(value).map(([field, inner]: [string, Schema]) => [field, whole(inner)]),
      ),
    };
  if ((name === "items" || name === "additionalProperties") && typeof value === "object" && value !== null)
    return { [name]: whole(value) };
  return { [name]: value };
}

// The same in one form: the parts in order, and what can stand alone not under `allOf`.
function whole(schema: Schema): Schema {
  return joined({}, parts(schema), true);
}

const sorted = (items: readonly Schema[] = []): Schema[] =>
  [...items].sort((a, b) => (text(a) < text(b) ? -1 : 1));

/**
 * Puts a schema together again, with each part said once and in an order that does not depend on where it came from. A node with a
 * type keeps the bounds that stood under `allOf` there.
 */
export function joined(skeleton: Schema, conjuncts: readonly Schema[], bare = false): Schema {
  // What is required under `allOf` is required.
  const needs = (part: Schema): boolean => part.required !== undefined && Object.keys(part).length === 1;
  const required = distinct([
    ...(skeleton.required ?? []),
    ...conjuncts.filter(needs).flatMap((part) => part.required ?? []),
  ]) as string[];
  const all = distinct(conjuncts.filter((part) => !needs(part))) as Schema[];
  const allOf: Schema[] = [];
  let result: Schema = required.length > 0 ? { ...skeleton, required } : skeleton;
  for (const part of all) {
    const names = Object.keys(part);
    const movable = bare || names.every((name) => (SINGLE as readonly string[]).includes(name));
    const alone = all.filter((other) => names.some((name) => name in other)).length === 1;
    if (movable && alone) result = { ...result, ...part };
    else allOf.push(part);
  }
  return allOf.length === 0 ? result : { ...result, allOf };
}

/**
 * A part as it is where only the fields of a schema can be: what asks for another field is false there, and what says how
 * another field looks is true.
 */
export function fitted(part: Schema, within: Schema): Schema | boolean {
  const result: Schema[] = [];
  for (const one of parts(part)) {
    const fit = fittedPart(one, within);
    if (fit === false) return false;
    if (fit !== true) result.push(fit);
  }
  return result.length === 0 ? true : joined({}, result, true);
}

function fittedPart(part: Schema, within: Schema): Schema | boolean {
  if (part.required !== undefined) return part.required.every((name) => canHave(within, name)) ? part : false;
  if (part.properties !== undefined) {
    const fields: Record<string, Schema> = {};
    for (const [name, field] of Object.entries(part.properties)) {
      const place = fieldOf(within, name);
      if (place === undefined) continue;
      const fit = fitted(field, place);
      // A field that may not have any value may still be absent, unless it is asked for elsewhere.
      if (fit !== true) fields[name] = fit === false ? { not: {} } : fit;
    }
    return Object.keys(fields).length === 0 ? true : { properties: fields };
  }
  if (part.items !== undefined) {
    const fit = within.items === undefined ? true : fitted(part.items, within.items);
    return fit === true ? true : { items: fit === false ? { not: {} } : fit };
  }
  if (part.anyOf !== undefined) {
    const branches = part.anyOf.map((branch) => fitted(branch, within));
    if (branches.includes(true)) return true;
    const left = branches.filter((branch) => typeof branch === "object");
    const [only] = left;
    if (only === undefined) return false;
    return left.length === 1 ? only : { anyOf: distinct(left) as Schema[] };
  }
  if (part.oneOf !== undefined) {
    const branches = part.oneOf
      .map((branch) => fitted(branch, within))
      .flatMap((branch) => (branch === false ? [] : [branch === true ? {} : branch]));
    const [only] = branches;
    if (only === undefined) return false;
    if (branches.length === 1) return Object.keys(only).length === 0 ? true : only;
    return { oneOf: sorted(branches) };
  }
  if (part.not !== undefined) {
    const fit = fitted(part.not, within);
    if (fit === true) return false;
    return fit === false ? true : { not: fit };
  }
  return part;
}

function fieldOf(within: Schema, name: string): Schema | undefined {
  const known = within.properties?.[name] ?? mapValue(within);
  return known ?? (isOpen(within) ? { "x-kubernetes-preserve-unknown-fields": true } : undefined);
}

function canHave(within: Schema, name: string): boolean {
  const field = fieldOf(within, name);
  return field !== undefined && !isNever(field);
}
