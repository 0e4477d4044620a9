import { CORE_SCHEMA, loadAll } from "js-yaml";
import type { KubernetesObject } from "../../runtime";
import { isObject as isRecord } from "../../../lib/json";
import { InstallError } from "./install-error";

export { isRecord };

/** An object as a plugin wants it: no more than what a person would write. */
export interface Manifest extends KubernetesObject {
  apiVersion: string;
  kind: string;
  [field: string]: unknown;
}

/** The most bytes of text that a source may have. */
export const MAX_BYTES = 4 * 1024 * 1024;
/** The most objects that a plugin may have. */
export const MAX_OBJECTS = 2000;
/** The most values, lists and maps in all of a plugin's objects: aliases in YAML can make a few lines explode. */
const MAX_NODES = 500_000;

const API_VERSION = /^(?:[a-z0-9][-a-z0-9.]*\/)?v[0-9][a-z0-9]*$/;
const KIND = /^[A-Z][A-Za-z0-9]*$/;
const NAME = /^(?!\.{1,2}$)[^/%\s]{1,253}$/;
const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** The documents of a text in YAML or JSON. */
export function documentsIn(text: string, where: string): unknown[] {
  try {
    // The core schema knows what JSON knows: a date stays a text, as the API server wants it.
    return loadAll(text, null, { schema: CORE_SCHEMA, filename: where });
  } catch (error) {
    const first = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
    throw new InstallError("SourceInvalid", `${where} is not YAML: ${first}. Correct it.`);
  }
}

/** A copy of documents in which nothing is shared any more, up to a bound. */
export function unfolded(documents: readonly unknown[], where: string): unknown[] {
  const budget = { left: MAX_NODES };
  return documents.map((document) => plainCopy(document, where, budget));
}

/** The objects in documents; throws one error with everything that is wrong with them. */
export function manifestsIn(documents: readonly unknown[], where: string): Manifest[] {
  const problems: string[] = [];
  const found: Manifest[] = [];
  const visit = (document: unknown, place: string): void => {
    if (document === undefined || document === null) return;
    if (!isRecord(document)) {
      problems.push(`${place} is no object`);
      return;
    }
    if (typeof document.kind === "string" && document.kind.endsWith("List") && Array.isArray(document.items))
      document.items.forEach((item: unknown, index) => visit(item, `${place}.items[${index}]`));
    else {
      const manifest = cleaned(document, place, problems);
      if (manifest !== undefined) found.push(manifest);
    }
  };
  documents.forEach((document, index) => visit(document, `document ${index + 1}`));
  if (found.length > MAX_OBJECTS)
    problems.push(`it has ${found.length} objects; at most ${MAX_OBJECTS} are allowed`);
  if (problems.length > 0)
    throw new InstallError(
      "SourceInvalid",
      `${where} cannot be installed: ${problems.slice(0, 10).join("; ")}. Correct it.`,
    );
  return found;
}

// What the server sets, and what ties an object to others, is not for a manifest to say.
const FORBIDDEN = ["generateName", "ownerReferences", "deletionTimestamp"] as const;
const DROPPED = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "selfLink",
  "managedFields",
]);

function cleaned(document: Record<string, unknown>, place: string, problems: string[]): Manifest | undefined {
  const { apiVersion, kind, metadata, ...rest } = without(document, "status");
  const before = problems.length;
  const wants = (holds: boolean, what: string): void => {
    if (!holds) problems.push(`${place}${typeof kind === "string" ? ` (${kind})` : ""} ${what}`);
  };
  const named = isRecord(metadata) ? metadata : {};
  const { name, namespace } = named;
  wants(typeof apiVersion === "string" && API_VERSION.test(apiVersion), "has no valid apiVersion");
  wants(typeof kind === "string" && KIND.test(kind), "has no valid kind");
  wants(typeof name === "string" && NAME.test(name), "has no valid metadata.name");
  wants(
    namespace === undefined ||
      namespace === null ||
      (typeof namespace === "string" && NAMESPACE.test(namespace)),
    "has a metadata.namespace that is none",
  );
  for (const field of FORBIDDEN)
    wants((named[field] ?? undefined) === undefined, `has metadata.${field}, which is not for manifests`);
  for (const field of ["labels", "annotations"] as const)
    wants(isTexts(named[field]), `has metadata.${field} that are not all texts`);
  if (
    problems.length > before ||
    typeof apiVersion !== "string" ||
    typeof kind !== "string" ||
    typeof name !== "string"
  )
    return undefined;
  const kept = Object.entries(named).filter(([key, value]) => !DROPPED.has(key) && value !== null);
  return { apiVersion, kind, metadata: { ...Object.fromEntries(kept), name }, ...rest };
}

function isTexts(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (isRecord(value) && Object.values(value).every((text) => typeof text === "string"))
  );
}

/** A copy without anything shared, and nothing but what JSON can say. */
function plainCopy(value: unknown, where: string, budget: { left: number }): unknown {
  budget.left -= 1;
  if (budget.left < 0)
    throw new InstallError(
      "SourceInvalid",
      `${where} unfolds to more than ${MAX_NODES} values. Make it smaller.`,
    );
  if (Array.isArray(value)) return value.map((item: unknown) => plainCopy(item, where, budget));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, plainCopy(item, where, budget)] as const);
  if (entries.some(([key]) => key === "__proto__"))
    throw new InstallError(
      "SourceInvalid",
      `${where} has a key "__proto__", which no object of the API has. Remove it.`,
    );
  return Object.fromEntries(entries);
}

/** A copy without one of its fields. */
export function without<T extends object, K extends keyof T & string>(object: T, key: K): Omit<T, K> {
  // The entries are those of the type, less the one key.
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key)) as unknown as Omit<T, K>;
}

/** The API group of an object, empty for the core group. */
export function groupOf({ apiVersion }: { apiVersion: string }): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}

/** An object as people name it. */
export function nameOf({ kind, metadata: { namespace, name } }: Pick<Manifest, "kind" | "metadata">): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
