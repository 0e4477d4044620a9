// Decides about one version of a kind: what holds, who fits it, and what each learns.
import {
  agreement,
  explain,
  meet,
  publishable,
  text,
  type Agreement,
  type Explanation,
  type Schema,
  type Side,
  type Stored,
} from "../../negotiation";
import { MAX_SCHEMA_DATA } from "../../../api";
import type { ImportObject } from "./kinds";

/** An import and its schema. */
export interface Imported {
  object: ImportObject;
  schema: Schema;
}

/** What is known about one version of a kind. */
export interface Situation {
  imports: readonly Imported[];
  /** A schema that holds whatever the clusters have: a pinned one, or that of a definition that a person made. */
  given?: Schema;
  /** Objects on the hub, if a definition of ours is there. */
  stored: readonly Stored[];
  agreedBefore: readonly string[];
}

/** Why a cluster is in or out. */
export interface ClusterVerdict {
  name: string;
  compatible: boolean;
  reason: "Compatible" | "Narrows" | "Incompatible" | "Names" | "StoredObjects" | "SchemaTooLarge";
  message: string;
  explanations: readonly Explanation[];
}

/** What was decided. */
export interface Plan {
  /** What the hub serves, or would serve; undefined if nothing fits. */
  schema?: Schema;
  clusters: readonly ClusterVerdict[];
  explanations: readonly Explanation[];
}

/** Decides. */
export function plan({ imports, given, stored, agreedBefore }: Situation): Plan {
  if (imports.length === 0)
    return { ...(given === undefined ? {} : { schema: given }), clusters: [], explanations: [] };
  const [fitting, odd] = byNames(imports, agreedBefore);
  const sides = fitting.map(({ object, schema }): Side => ({ name: object.spec.cluster, schema }));
  if (given !== undefined) {
    const clusters = [...sides.map((side) => against(given, side)), ...odd];
    return {
      schema: given,
      clusters: sorted(clusters),
      explanations: clusters.flatMap((one) => one.explanations),
    };
  }
  const agreed = agreement(sides, stored, agreedBefore);
  const explanations = explain(agreed.compatible, agreed.meet);
  const clusters = [...inside(agreed, explanations), ...outside(agreed, sides), ...odd];
  return {
    ...(agreed.schema === undefined ? {} : { schema: agreed.schema }),
    clusters: sorted(clusters),
    explanations: [...outsideOf(clusters), ...explanations],
  };
}

/** The plan for a kind that the hub serves by itself: each object goes where its fields are known, which the object itself decides. */
export function perObject(imports: readonly Imported[]): Plan {
  return {
    clusters: imports
      .map(({ object }) => ({
        name: object.spec.cluster,
        compatible: true,
        reason: "Compatible" as const,
        message: "Each object goes there if the cluster knows the fields that it uses.",
        explanations: [],
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    explanations: [],
  };
}

/** The plan with the clusters whose schema is not stored: they are out, and say why. */
export function withUnread(found: Plan, unread: readonly ImportObject[]): Plan {
  if (unread.length === 0) return found;
  const out = unread.map(({ spec: { cluster, schemaHash } }): ClusterVerdict => ({
    name: cluster,
    compatible: false,
    reason: "SchemaTooLarge",
    message: `There is no APISchema ${schemaHash}: the cluster's schema has more than ${MAX_SCHEMA_DATA} characters compressed, and is not stored. Leave the kind out of the cluster's spec.imports, or give it a smaller schema.`,
    explanations: [],
  }));
  return { ...found, clusters: sorted([...found.clusters, ...out]) };
}

const outsideOf = (clusters: readonly ClusterVerdict[]): Explanation[] =>
  clusters.filter(({ compatible }) => !compatible).flatMap((one) => one.explanations);
const sorted = (clusters: ClusterVerdict[]): ClusterVerdict[] =>
  clusters.sort((a, b) => (a.name < b.name ? -1 : 1));

// Kind and scope cannot be brought together: those of the clusters that were there first hold, or else of the most.
function byNames(
  imports: readonly Imported[],
  agreedBefore: readonly string[],
): [readonly Imported[], ClusterVerdict[]] {
  const shape = ({ object }: Imported): string => `${object.spec.names.kind}, ${object.spec.scope}`;
  const votes = new Map<string, number>();
  for (const one of imports) {
    const weight = agreedBefore.includes(one.object.spec.cluster) ? 10_000 : 1;
    votes.set(shape(one), (votes.get(shape(one)) ?? 0) + weight);
  }
  const [winner = ""] = [...votes].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([key]) => key);
  const odd = imports
    .filter((one) => shape(one) !== winner)
    .map(({ object: { spec } }): ClusterVerdict => {
      const own = `${spec.names.kind}, ${spec.scope}`;
      return {
        name: spec.cluster,
        compatible: false,
        reason: "Names",
        message: `The cluster has it as ${own}, the others as ${winner}: bring its definition to that of the others.`,
        explanations: [
          {
            path: "",
            rule: "scope",
            effect: "Incompatible",
            values: { [spec.cluster]: own, others: winner },
            losers: [spec.cluster],
          },
        ],
      };
    });
  return [imports.filter((one) => shape(one) === winner), odd];
}

// A schema that is given holds as it is: a cluster fits it if it refuses nothing that the schema accepts.
function against(given: Schema, side: Side): ClusterVerdict {
  const hub: Side = { name: "the hub", schema: given };
  const both = meet([hub, side]);
  const alone = publishable(given);
  const left = both.schema && publishable(both.schema);
  const compatible = left !== undefined && text(left) === text(alone);
  const explanations = explain([hub, side], both).filter(
    ({ losers, effect }) => effect !== "Note" && losers.includes("the hub"),
  );
  return {
    name: side.name,
    compatible,
    reason: compatible ? "Compatible" : "Incompatible",
    message: compatible
      ? "The cluster accepts all that the hub's schema accepts."
      : `The cluster refuses what the hub's schema accepts${first(explanations)}.`,
    explanations: compatible ? [] : explanations,
  };
}

function inside({ compatible }: Agreement, explanations: readonly Explanation[]): ClusterVerdict[] {
  return compatible.map(({ name }) => {
    const own = explanations.filter(({ losers }) => losers.includes(name));
    return {
      name,
      compatible: true,
      reason: own.length === 0 ? "Compatible" : "Narrows",
      message:
        own.length === 0
          ? "The hub accepts all that the cluster accepts."
          : `Of what the cluster accepts, the hub refuses some at ${own.length} ${own.length === 1 ? "place" : "places"}${first(own)}.`,
      explanations: own,
    };
  });
}

function outside({ leftOut, compatible }: Agreement, sides: readonly Side[]): ClusterVerdict[] {
  return leftOut.map(({ name, reason, meet: theirs, objects }) => {
    const tried = sides.filter((side) => side.name === name || compatible.includes(side));
    const explanations = explain(tried, theirs).filter(({ effect, path }) =>
      reason === "Incompatible"
        ? effect === "Incompatible"
        : objects.some(({ violation }) => related(violation.path, path)),
    );
    const shown = objects
      .map(({ key, violation }) => `${key} (${violation.path}: ${violation.rule})`)
      .join(", ");
    return {
      name,
      compatible: false,
      reason,
      message:
        reason === "Incompatible"
          ? `Nothing fits both the cluster and the others${first(explanations)}: bring its definition to that of the others.`
          : `With the cluster, objects that are stored on the hub would break the schema: ${shown}. Change these objects, or the cluster's definition.`,
      explanations,
    };
  });
}

// `spec.list[3].a` of an object is `spec.list[].a` of a schema.
const related = (found: string, path: string): boolean => found.replaceAll(/\[\d+\]/g, "[]").startsWith(path);

function first(explanations: readonly Explanation[]): string {
  const [one] = explanations;
  if (one === undefined) return "";
  const values = Object.entries(one.values)
    .slice(0, 3)
    .map(([name, value]) => `${name}: ${value.length > 80 ? `${value.slice(0, 79)}…` : value}`);
  return `, such as ${one.path === "" ? "the object" : one.path} by ${one.rule} (${values.join("; ")})`;
}
