// What the kinds of the negotiation say of a kind of the Kubernetes API.
import { z } from "zod";
import { setOf } from "../schema/list";
import { matching, withRule } from "../schema/rule";
import { text, textLike } from "../schema/text";
import { MAX_CLUSTER_NAME } from "./names";

const dnsLabel = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const SCHEMA_HASH = "[0-9a-f]{64}";

/** The rule of a cluster's name. */
export const clusterNameRule = {
  form: dnsLabel,
  max: MAX_CLUSTER_NAME,
  message: `a cluster's name must be a DNS label of at most ${MAX_CLUSTER_NAME} characters, because its namespace is called after it: use a-z, 0-9 and "-", beginning and ending with a letter or digit`,
};

/** The rule of a content hash as a name. */
export const hashNameRule = {
  form: SCHEMA_HASH,
  max: 64,
  message: "the name must be the SHA-256 of the text, as 64 hexadecimal digits in lower case",
};

/** A cluster on the hub by its name. */
export function clusterName(): z.ZodString {
  return textLike(clusterNameRule.max, clusterNameRule.form, clusterNameRule.message);
}

/** The name of an APISchema: the SHA-256 of its text. */
export function schemaHash(): z.ZodString {
  return textLike(
    64,
    SCHEMA_HASH,
    "the hash must be 64 hexadecimal digits in lower case: it is the name of an APISchema",
  );
}

/** The fields by which a kind of the API is named. */
export function resourceFields() {
  return {
    group: withRule(
      text(253, 0),
      matching(
        `(?:${dnsLabel}(?:\\.${dnsLabel})*)?`,
        `the group must be an API group such as apps, or "" for the core group`,
      ),
    ).describe("The API group; empty for the core group."),
    version: textLike(63, dnsLabel, "the version must be one of the API, such as v1 or v1beta1").describe(
      "The version of the API.",
    ),
    resource: textLike(
      63,
      dnsLabel,
      "the resource must be the plural name in lower case, such as deployments",
    ).describe("The plural name in lower case, as in the URL."),
  };
}

/** The rule that the fields of {@link resourceFields} stay as they are. */
export function sameResource<Spec extends { group: string; version: string; resource: string }>(
  fields: readonly (string & keyof Spec)[],
  message: string,
) {
  return fields.map((field) => ({
    cel: `self.${field} == oldSelf.${field}`,
    holds: (after: Spec, before: Spec) => after[field] === before[field],
    message,
    field,
  }));
}

const kindName = (): z.ZodString =>
  textLike(63, "[A-Za-z](?:[-A-Za-z0-9]*[A-Za-z0-9])?", "the kind must be a name such as Deployment");

/** How the kind is called. */
export const resourceNames = z.strictObject({
  kind: kindName().describe("The kind, in CamelCase."),
  listKind: kindName().optional().describe("The kind of its lists."),
  singular: text(63).optional().describe("The singular in lower case."),
  shortNames: setOf(text(63), 32).default([]).describe("What kubectl takes for it, too."),
  categories: setOf(text(63), 32).default([]).describe("Groups of kinds that it belongs to, such as `all`."),
});

const jsonPath = (): z.ZodString =>
  textLike(253, "(?:[.][a-zA-Z_][a-zA-Z0-9_-]*)+", "the path must be one such as .spec.replicas");

/** The subresources that a kind has. */
export const resourceSubresources = z.strictObject({
  status: z.boolean().default(false).describe("Whether status is written apart from the rest."),
  scale: z
    .strictObject({
      specReplicasPath: jsonPath().describe("Where the wanted number stands."),
      statusReplicasPath: jsonPath().describe("Where the number found stands."),
      labelSelectorPath: jsonPath().optional().describe("Where the pods' selector stands, as text."),
    })
    .optional()
    .describe("How the kind is scaled."),
});

/** A column of `kubectl get`, as a CRD has it. */
export const resourceColumn = z.strictObject({
  name: text(253).describe("The column's head."),
  type: z.enum(["string", "integer", "number", "boolean", "date"]).describe("What stands in it."),
  format: text(63).optional().describe("How it is written."),
  description: text(1024, 0).optional().describe("What it means."),
  priority: z.int().min(0).max(100).default(0).describe("Shown with `-o wide` alone if it is more than 0."),
  jsonPath: text(1024).describe("Where its value stands."),
});

/** What putting the schemas of clusters together took away, and why. */
export const difference = z.strictObject({
  path: text(1024, 0).describe("The field, such as `spec.replicas`; empty for the object itself."),
  rule: text(64).describe("The keyword that differs, such as `type`, `enum` or `required`."),
  effect: z
    .enum(["Narrowed", "Dropped", "Incompatible", "Note"])
    .describe(
      "What follows: fewer values are accepted, the field is gone, nothing fits, or nothing that a document could show.",
    ),
  here: text(1024, 0).optional().describe("What this cluster says."),
  there: text(2048, 0).optional().describe("What the others say, by their names."),
  refused: text(4096, 0)
    .optional()
    .describe("A document, as JSON, that this cluster accepts and all together do not."),
});

/** One difference, as status has it. */
export type Difference = z.output<typeof difference>;
