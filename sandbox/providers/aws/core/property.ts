import { canonical, isRecord, isList, prune } from "./value";

/** What the engine has to know about one input property of a type. */
export interface Property {
  /** A change makes a new resource. Without it, a change is an update. */
  readonly replaces?: boolean;
  /** The program has to give it. */
  readonly required?: boolean;
  /** AWS chooses a value when the program gives none, so the absence of one is no difference. */
  readonly computed?: boolean;
  /** The value when the program gives none. */
  readonly fallback?: unknown;
  /** The order of the list does not matter. */
  readonly set?: boolean;
  /** The keys are the program's own (labels, tags): one that is missing was taken away. */
  readonly map?: boolean;
  /** What the program leaves out inside of it was taken away; without this it was left to AWS. */
  readonly exact?: boolean;
  /** The text is JSON: spelling and order of keys do not matter. */
  readonly json?: boolean;
  /** AWS does not tell it: the state keeps what the program gave. */
  readonly local?: boolean;
  /** The only texts that AWS takes. */
  readonly oneOf?: readonly string[];
  /** Brings values that AWS treats as the same to one form before they are compared. */
  readonly normal?: (value: unknown) => unknown;
}

/** A change of it is an update. */
export const updates = {} satisfies Property;
/** A change of it makes a new resource. */
export const replaces = { replaces: true } satisfies Property;
/** The program has to give it; a change is an update. */
export const required = { required: true } satisfies Property;
/** The program has to give it; a change makes a new resource. */
export const identifies = { required: true, replaces: true } satisfies Property;
/** AWS chooses when the program does not; a change is an update. */
export const chosen = { computed: true } satisfies Property;
/** AWS chooses when the program does not; a change makes a new resource. */
export const chosenOnce = { computed: true, replaces: true } satisfies Property;
/** Only the provider itself uses it. */
export const local = { local: true } satisfies Property;

/** Whether a value in the state, or in earlier inputs, is what the program asks for. */
export function satisfies(property: Property, wanted: unknown, found: unknown): boolean {
  const normal = (value: unknown): unknown => prune(normalize(property, value));
  return matches(normal(wanted), normal(found), property);
}

/** Whether two values of a property are the same, with nothing left open on either side. */
export function same(property: Property, one: unknown, other: unknown): boolean {
  const form = (value: unknown): string => canonical(prune(normalize(property, value)));
  return form(one) === form(other);
}

function normalize(property: Property, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  const own = property.normal === undefined ? value : property.normal(value);
  if (property.json === true && typeof own === "string") return parsed(own);
  if (property.set === true && isList(own)) return inOrder(own);
  return own;
}

/** A JSON text as a value in which a list of one means the same as its element, as in IAM policies. */
function parsed(text: string): unknown {
  try {
    return simplified(JSON.parse(text));
  } catch {
    return text;
  }
}

function simplified(value: unknown): unknown {
  if (isList(value)) {
    const items = value.map(simplified);
    return items.length === 1 ? items[0] : inOrder(items);
  }
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, simplified(item)]));
  return value;
}

function inOrder(items: readonly unknown[]): unknown[] {
  return [...items].sort((a, b) => (canonical(prune(a)) < canonical(prune(b)) ? -1 : 1));
}

/** Whether everything wanted is found. What an object leaves open was left to AWS, except in a map. */
function matches(wanted: unknown, found: unknown, property: Property): boolean {
  if (isList(wanted)) {
    if (!isList(found) || found.length !== wanted.length) return false;
    return property.set === true
      ? paired(wanted, found, property)
      : wanted.every((item, index) => matches(item, found[index], property));
  }
  if (isRecord(wanted)) {
    if (!isRecord(found)) return Object.values(wanted).every((item) => item === false);
    if (
      (property.map === true || property.json === true) &&
      Object.keys(wanted).length !== Object.keys(found).length
    )
      return false;
    return Object.entries(wanted).every(([key, item]) => matches(item, found[key], property));
  }
  if (wanted === undefined) return found === undefined;
  if (wanted === false && found === undefined) return true;
  return wanted === found || sameScalar(wanted, found);
}

/** Whether every item wanted has a partner of its own in a list of the same length. */
function paired(wanted: readonly unknown[], found: readonly unknown[], property: Property): boolean {
  const left = [...found];
  return wanted.every((item) => {
    const index = left.findIndex((candidate) => matches(item, candidate, property));
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}

/** Stack files and templates write numbers and truth values as text, and the official provider takes both. */
function sameScalar(wanted: unknown, found: unknown): boolean {
  const scalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);
  return scalar(wanted) && scalar(found) && String(wanted) === String(found);
}
