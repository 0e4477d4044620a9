// What of a manifest a manager owns in an object, by the object's managed fields, and what the API server kept of it.
import { equal, isRecord, type FieldSet, type KubernetesObject } from "../runtime";
import { isNothing, saysTheSame } from "./values";

/** Nobody owns what names an object. */
const UNOWNED = new Set(["apiVersion", "kind", "metadata.name", "metadata.namespace"]);

/** The fields that a manager owns by server-side apply. */
export function fieldsOf(object: KubernetesObject, manager: string): FieldSet | undefined {
  return object.metadata.managedFields?.find(
    (entry) => entry.manager === manager && entry.operation === "Apply" && (entry.subresource ?? "") === "",
  )?.fieldsV1;
}

/** The paths of a manifest that are not among the fields that are owned. */
export function missingPaths(manifest: object, fields: FieldSet | undefined): string[] {
  if (fields === undefined) return ["(all)"];
  const missing: string[] = [];
  walk(manifest, fields, "", (path, _value, below) => {
    if (below !== undefined) return true;
    missing.push(path);
    return false;
  });
  return missing;
}

/** What an API server did not keep of what was applied: fields that are gone, and fields that have another value. */
export function droppedFields(
  sent: object,
  answer: KubernetesObject,
  fields: FieldSet | undefined,
): string[] {
  const lost: string[] = [];
  compare(sent, answer, fields ?? {}, "", lost);
  return lost;
}

function compare(sent: unknown, kept: unknown, fields: FieldSet, path: string, lost: string[]): void {
  if (isRecord(sent) && isRecord(kept)) {
    for (const [key, value] of Object.entries(sent)) {
      const below = path === "" ? key : `${path}.${key}`;
      if (UNOWNED.has(below)) continue;
      if (kept[key] !== undefined) compare(value, kept[key], fields[`f:${key}`] ?? {}, below, lost);
      else if (!isNothing(value)) lost.push(`${below}: was dropped`);
    }
  } else if (Array.isArray(sent) && Array.isArray(kept)) {
    const selectors = Object.keys(fields).filter((key) => key.startsWith("k:"));
    if (selectors.length === 0) {
      const same = sent.length === kept.length ? sent : undefined;
      if (same === undefined) {
        if (!sent.every((item) => kept.some((other) => saysTheSame(item, other))))
          lost.push(`${path}: was changed`);
      } else same.forEach((item, index) => compare(item, kept[index], {}, `${path}[${index}]`, lost));
      return;
    }
    for (const item of sent) {
      const key = selectors.find((selector) => isSelected(item, selectorOf(selector)));
      const found: unknown =
        key === undefined ? undefined : kept.find((other) => isSelected(other, selectorOf(key)));
      const name = `${path}[${describe(item)}]`;
      if (key === undefined || found === undefined) lost.push(`${name}: was dropped`);
      else compare(item, found, fields[key] ?? {}, name, lost);
    }
  } else if (!saysTheSame(sent, kept))
    lost.push(`${path}: was changed from ${short(sent)} to ${short(kept)}`);
}

/** Calls `visit` for each field with what is below it in the set; goes deeper while that says so. */
function walk(
  value: unknown,
  fields: FieldSet,
  path: string,
  visit: (path: string, value: unknown, below: FieldSet | undefined) => boolean,
): void {
  const entries = Object.keys(fields).filter((key) => key !== ".");
  // A leaf, or a list or map that is owned as a whole.
  if (entries.length === 0) return;
  if (Array.isArray(value)) {
    for (const item of value) {
      const key = entries.find((entry) => isEntryOf(entry, item));
      const name = `${path}[${describe(item)}]`;
      if (visit(name, item, key === undefined ? undefined : fields[key]) && key !== undefined)
        walk(item, fields[key] ?? {}, name, visit);
    }
  } else if (isRecord(value)) {
    for (const [key, below] of Object.entries(value)) {
      const name = path === "" ? key : `${path}.${key}`;
      if (UNOWNED.has(name) || below === undefined || below === null) continue;
      const found = fields[`f:${key}`];
      if (visit(name, below, found)) walk(below, found ?? {}, name, visit);
    }
  }
}

function isEntryOf(entry: string, item: unknown): boolean {
  if (entry.startsWith("v:")) return equal(parsed(entry.slice(2)), item);
  return entry.startsWith("k:") && isSelected(item, selectorOf(entry));
}

function selectorOf(entry: string): Record<string, unknown> {
  const found = parsed(entry.slice(2));
  return isRecord(found) ? found : {};
}

// A key that the item leaves out has its default, such as the protocol of a port.
function isSelected(item: unknown, selector: Readonly<Record<string, unknown>>): boolean {
  if (!isRecord(item)) return false;
  const keys = Object.entries(selector);
  return (
    keys.some(([key]) => item[key] !== undefined) &&
    keys.every(([key, value]) => item[key] === undefined || equal(item[key], value))
  );
}

function describe(item: unknown): string {
  if (!isRecord(item)) return short(item);
  const key = ["name", "containerPort", "port", "ip", "type", "key"].find((name) => item[name] !== undefined);
  return key === undefined ? "…" : `${key}=${short(item[key])}`;
}

function short(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a set has the field that an apply conflict names, such as `.spec.containers[name="web"].image`. */
export function hasField(fields: FieldSet, path: string): boolean {
  let here = fields;
  for (const step of stepsOf(path)) {
    const below: FieldSet | undefined = here[step];
    if (below === undefined) {
      // What is owned as a whole has no fields of its own in the set.
      return here !== fields && Object.keys(here).every((key) => key === ".");
    }
    here = below;
  }
  return true;
}

/** The keys of a field set on the way to a field. */
function stepsOf(path: string): string[] {
  const steps: string[] = [];
  for (const [, name, inside] of path.matchAll(/\.([^.[\]]+)|\[((?:"(?:[^"\\]|\\.)*"|[^\]"])*)\]/g)) {
    if (name !== undefined) steps.push(`f:${name}`);
    else if (inside !== undefined) steps.push(entryOf(inside));
  }
  return steps;
}

// `name="web",port=80` names an entry by its keys; `="x"` one by its value.
function entryOf(inside: string): string {
  if (inside.startsWith("=")) return `v:${inside.slice(1)}`;
  const keys: Record<string, unknown> = {};
  for (const [, key = "", value = ""] of inside.matchAll(/([^,=]+)=("(?:[^"\\]|\\.)*"|[^,]*)/g))
    keys[key] = parsed(value);
  return `k:${JSON.stringify(keys)}`;
}
