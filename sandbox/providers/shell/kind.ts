import { isAsset, isRecord, UNKNOWN, type WireAsset } from "./wire";

/** What is wrong with a property: its path, and why in words for the person who wrote it. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

/** The same with whole sentences as reasons. */
export function sentences(failures: readonly CheckFailure[]): CheckFailure[] {
  return failures.map((failure) => ({ property: failure.property, reason: sentence([failure]) }));
}

/** Check failures in one sentence. */
export function sentence(failures: readonly CheckFailure[]): string {
  return `${failures.map(({ property, reason }) => `${property} ${reason}`).join("; ")}.`;
}

/** A set of values with a name, such as "a list of strings", that can say what is wrong with a value outside it. */
export interface Kind<T> {
  readonly name: string;
  /** Never there at run time; it keeps a kind of one type from being taken for a kind of another. */
  readonly example?: T;
  /** What is wrong with a value; none means that it is a `T`. What is unknown in a preview counts as fitting. */
  failures(value: unknown, path: string): CheckFailure[];
}

/** Whether a value is of a kind. */
export function isOf<T>(kind: Kind<T>, value: unknown): value is T {
  return kind.failures(value, "").length === 0;
}

export const text: Kind<string> = primitive("a string", (value) => typeof value === "string");

export const flag: Kind<boolean> = primitive("a boolean", (value) => typeof value === "boolean");

export const anything: Kind<unknown> = { name: "anything", failures: () => [] };

export const asset: Kind<WireAsset> = primitive("an asset or archive", isAsset);

/** A whole number of at least `minimum`. */
export function wholeNumber(
  minimum = Number.MIN_SAFE_INTEGER,
  maximum = Number.MAX_SAFE_INTEGER,
): Kind<number> {
  const bounds = [
    ...(minimum > Number.MIN_SAFE_INTEGER ? [`of at least ${minimum}`] : []),
    ...(maximum < Number.MAX_SAFE_INTEGER ? [`of at most ${maximum}`] : []),
  ];
  return primitive(
    ["a whole number", ...bounds].join(" "),
    (value) => typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum,
  );
}

/** One of some texts. */
export function choice<T extends string>(...allowed: readonly T[]): Kind<T> {
  return primitive(`one of ${allowed.join(", ")}`, (value) => allowed.some((one) => one === value));
}

/** A list of things of one kind. */
export function list<T>(of: Kind<T>): Kind<T[]> {
  const name = `a list, each ${of.name}`;
  return {
    name,
    failures: (value, path) => {
      if (value === UNKNOWN) return [];
      if (!Array.isArray(value)) return [mismatch(name, value, path)];
      return value.flatMap((item, index) => of.failures(item, `${path}[${index}]`));
    },
  };
}

/** A map from any name to things of one kind. */
export function mapOf<T>(of: Kind<T>): Kind<Record<string, T>> {
  const name = `a map, each value ${of.name}`;
  return {
    name,
    failures: (value, path) => {
      if (value === UNKNOWN) return [];
      if (!isRecord(value)) return [mismatch(name, value, path)];
      return Object.entries(value).flatMap(([key, item]) => of.failures(item, `${path}.${key}`));
    },
  };
}

/** One member of a {@link shape}. */
export interface Member<T> {
  readonly kind: Kind<T>;
  /** @default false */
  readonly required?: boolean;
}

/** The members of an object of type `T`, each of which must be named. */
export type Members<T> = { readonly [K in keyof T]-?: Member<Exclude<T[K], undefined>> };

/** An object with exactly these members. */
export function shape<T extends object>(members: Members<T>): Kind<T> {
  const name = "an object";
  return {
    name,
    failures: (value, path) => {
      if (value === UNKNOWN) return [];
      return isRecord(value) ? memberFailures(members, value, path) : [mismatch(name, value, path)];
    },
  };
}

/** What is wrong with an object's members: unknown names, missing ones, wrong values. */
export function memberFailures(
  rules: Readonly<Record<string, Member<unknown>>>,
  value: Readonly<Record<string, unknown>>,
  path = "",
): CheckFailure[] {
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  const names = Object.keys(rules);
  const strangers = Object.keys(value).filter((name) => !(name in rules));
  return [
    ...strangers.map((name) => ({
      property: at(name),
      reason: `there is no property "${name}" here; known are ${names.join(", ")}`,
    })),
    ...Object.entries(rules).flatMap(([name, { kind, required }]) => {
      const member = value[name];
      if (member !== undefined) return kind.failures(member, at(name));
      return required === true ? [{ property: at(name), reason: `is required: ${kind.name}` }] : [];
    }),
  ];
}

function primitive<T>(name: string, holds: (value: unknown) => boolean): Kind<T> {
  return {
    name,
    failures: (value, path) => (value === UNKNOWN || holds(value) ? [] : [mismatch(name, value, path)]),
  };
}

// A value may be a secret, so only short plain words of it are shown, and only where a word is all that is allowed.
function mismatch(name: string, value: unknown, path: string): CheckFailure {
  const found = Array.isArray(value) ? "a list" : value === null ? "nothing" : `a ${typeof value}`;
  const shown = typeof value === "number" || name.startsWith("one of ") ? JSON.stringify(value) : found;
  return { property: path, reason: `must be ${name}, but is ${shown}` };
}
