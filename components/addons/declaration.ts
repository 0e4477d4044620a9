import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { API_VERSION, type KindName, KINDS } from "../../api";
import type { Problem } from "../cluster/problem";
import { transformed, type Transform } from "../cluster/transform";

/** The manager of all fields that the program declares in a cluster. */
export const FIELD_MANAGER = "fleetwright-program";

/** What every object carries that the program declares. */
export const MANAGED_LABELS = { "app.kubernetes.io/managed-by": "fleetwright" };

/** Labels as key and value. */
export type Labels = Record<string, string>;

/** How each object of a kind is made different. */
export type DeclarationTransform = Transform<kubernetes.apiextensions.CustomResourceArgs>;

/** One object of a kind. */
export interface Declaration {
  kind: KindName;
  name: string;
  spec: object;
}

/** The metadata of an object that the program declares by server-side apply. */
export function metadataOf(
  name: string,
  labels: Labels = {},
): { name: string; labels: Labels; annotations: Labels } {
  return {
    name,
    labels: { ...labels, ...MANAGED_LABELS },
    annotations: { "pulumi.com/patchFieldManager": FIELD_MANAGER },
  };
}

/** Declares an object of a kind as a child of a component. */
export function declare(
  parent: pulumi.ComponentResource,
  resourceName: string,
  { kind, name, spec }: Declaration,
  labels: Labels | undefined,
  transform: DeclarationTransform | undefined,
  opts: pulumi.CustomResourceOptions = {},
): kubernetes.apiextensions.CustomResource {
  const args = { apiVersion: API_VERSION, kind, metadata: metadataOf(name, labels), spec };
  return new kubernetes.apiextensions.CustomResource(
    ...transformed(transform, resourceName, args, { ...opts, parent }),
  );
}

/**
 * All that is wrong with a spec, in the words of the API server, with the place in the config in front: what the
 * cluster would refuse in the middle of an update is refused before it begins.
 */
export function specProblems(kind: KindName, where: string, spec: object): Problem[] {
  const verdict = KINDS[kind].validateSpec(spec);
  if (verdict.ok) return [];
  return verdict.problems.map(({ path, message }) =>
    `${path}: ${message}`.replaceAll(/\bspec(?=[.[:\s])/g, where),
  );
}

/** What is left of an object without one of its properties. */
export function without<T extends object, Key extends keyof T>(object: T, key: Key): Omit<T, Key> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key)) as Omit<T, Key>;
}

/** Names that no object can have, and names that were given more than once. */
export function nameProblems(where: string, names: readonly unknown[]): Problem[] {
  const shown = (name: unknown): string => (name === undefined ? "nothing" : JSON.stringify(name));
  const malformed = names
    .map((name, index) => ({ name, index }))
    .filter(({ name }) => typeof name !== "string" || !/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name));
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [
    ...malformed.map(
      ({ name, index }) =>
        `${where}[${index}].name is ${shown(name)}: use at most 63 characters a-z, 0-9 and "-", beginning and ending with a letter or digit.`,
    ),
    ...[...repeated].map((name) => `${where} has the name ${shown(name)} more than once: give each its own.`),
  ];
}
