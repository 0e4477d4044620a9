// Decides from managed fields whether a server-side apply would change anything.
import { isRecord, type FieldSet, type KubernetesObject } from "./object";

/**
 * Whether applying `desired` would change nothing: the manager owns exactly the fields that are in it, and each has
 * the value that is wanted. A doubt means no: an apply too many does no harm, one too few does.
 */
export function isUpToDate(
  desired: KubernetesObject,
  live: KubernetesObject,
  manager: string,
  subresource?: string,
): boolean {
  const entry = live.metadata.managedFields?.find(
    (found) =>
      found.manager === manager &&
      found.operation === "Apply" &&
      (found.subresource ?? "") === (subresource ?? ""),
  );
  if (entry?.fieldsV1 === undefined) return false;
  return covers(entry.fieldsV1, withoutIdentity(desired), live);
}

// These name the object; nobody owns them.
const IDENTITY = new Set([
  "apiVersion",
  "kind",
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "managedFields",
]);

function withoutIdentity({ metadata, ...rest }: KubernetesObject): Record<string, unknown> {
  const owned = unnamed(metadata);
  return { ...unnamed(rest), ...(Object.keys(owned).length === 0 ? {} : { metadata: owned }) };
}

function unnamed(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !IDENTITY.has(name)));
}

function covers(fields: FieldSet, desired: unknown, live: unknown): boolean {
  const paths = Object.keys(fields).filter((path) => path !== ".");
  // A leaf, or a list or map that is owned as a whole.
  if (paths.length === 0) return equal(desired, live);
  if (Array.isArray(desired)) return Array.isArray(live) && coversList(fields, paths, desired, live);
  if (!isRecord(desired) || !isRecord(live)) return false;
  const keys = Object.keys(desired);
  if (keys.length !== paths.length) return false;
  return keys.every((key) => {
    const below = fields[`f:${key}`];
    return below !== undefined && Object.hasOwn(live, key) && covers(below, desired[key], live[key]);
  });
}

function coversList(fields: FieldSet, paths: string[], desired: unknown[], live: unknown[]): boolean {
  if (paths.length !== desired.length) return false;
  return paths.every((path) => {
    const below = fields[path];
    const selector = parse(path.slice(2));
    if (below === undefined) return false;
    if (path.startsWith("v:")) {
      return desired.some((item) => equal(item, selector)) && live.some((item) => equal(item, selector));
    }
    if (!path.startsWith("k:") || !isRecord(selector)) return false;
    const wanted = desired.find((item) => matches(item, selector));
    const found = live.find((item) => matches(item, selector));
    return wanted !== undefined && found !== undefined && covers(below, wanted, found);
  });
}

function matches(item: unknown, selector: Record<string, unknown>): boolean {
  return isRecord(item) && Object.entries(selector).every(([key, value]) => equal(item[key], value));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether two values are the same JSON; the order of keys does not matter. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
  );
}
