/** An object that both validators must refuse. */
export interface Malformed {
  it: string;
  /** What is changed in the base object, by path; undefined removes the field. */
  set: Readonly<Record<string, unknown>>;
  /** A part of the message. */
  says: string;
  /** The field that the message must name. */
  at: string;
}

/** The objects on which the two validators must agree. */
export interface Cases {
  /** A valid spec, from which the malformed ones are made. */
  base: Readonly<Record<string, unknown>>;
  /** More specs that are valid. */
  valid: readonly (readonly [it: string, spec: Readonly<Record<string, unknown>>])[];
  malformed: readonly Malformed[];
  /** A name that the kind accepts, if `subject` is none; and the same ending otherwise. */
  names?: (stem: string) => string;
}

/** The specs that both validators must accept, each with a title. */
export function validSpecs({ base, valid }: Cases): [it: string, spec: object][] {
  return [["the base object", base], ...valid.map(([it, spec]): [string, object] => [it, spec])];
}

/** One row of a table: what is wrong, the field, its value, a part of the message, and the field to blame if it is another. */
export function bad(it: string, path: string, value: unknown, says: string, at = path): Malformed {
  return { it, set: { [path]: value }, says, at };
}

/** The object with fields set, or removed where the value is undefined. */
export function changed(object: object, set: Readonly<Record<string, unknown>>): unknown {
  const copy: unknown = structuredClone(object);
  for (const [path, value] of Object.entries(set)) {
    const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
    const last = keys.pop() ?? "";
    const parent = keys.reduce<unknown>((here, key) => fieldOf(here, key), copy);
    if (typeof parent !== "object" || parent === null)
      throw new Error(`The base object has nothing at ${path}.`);
    if (value === undefined) Reflect.deleteProperty(parent, last);
    else Reflect.set(parent, last, value);
  }
  return copy;
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
