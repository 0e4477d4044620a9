// The kind NegotiatedAPIResource: what all clusters that have a kind agree on.
import { z } from "zod";
import { commonStatus } from "../schema/condition";
import { defineKind, type ObjectOf, type SpecInputOf } from "../schema/kind";
import { listOf, mapOf } from "../schema/list";
import { withRule } from "../schema/rule";
import { text } from "../schema/text";
import { HUB_PLURALS } from "./names";
import { clusterName, difference, resourceFields, sameResource, schemaHash } from "./resource";

const plain = z.strictObject({
  ...resourceFields(),
  strategy: z
    .enum(["Intersect", "PerObject", "Pinned"])
    .default("Intersect")
    .describe(
      "Intersect: the hub accepts what every cluster accepts. PerObject: the hub's own schema holds, and each object goes where the fields that it uses are known. Pinned: the schema that is given holds, and clusters that do not fit it fall out.",
    ),
  schemaHash: schemaHash().optional().describe("The pinned schema: the name of an APISchema."),
  publish: z
    .boolean()
    .default(false)
    .describe("Whether the hub serves the kind, by a definition that it makes and keeps."),
});

/** The kind `NegotiatedAPIResource`: what the clusters agree on about one version of a kind. */
export const negotiatedApiResource = defineKind({
  kind: "NegotiatedAPIResource",
  plural: HUB_PLURALS.NegotiatedAPIResource,
  shortNames: ["fwapi"],
  summary: "What the clusters agree on about one version of a kind, and whether the hub serves it.",
  details: [
    "The hub makes one for each version of a kind that some cluster has, named `<resource>.<version>.<group>`, and removes it when the last cluster has lost the kind, unless it is published and objects of it are stored. `publish: true` is for a person to say; the hub then makes the definition.",
    "A published schema is never narrowed so that a stored object breaks it: the cluster that would force this is left out instead, and says so in its APIResourceImport.",
    "`npm run hub -- explain <name>` tells where the clusters differ, with a document that is refused.",
  ],
  spec: withRule(plain, {
    cel: `(self.strategy == "Pinned") == has(self.schemaHash)`,
    holds: ({ strategy, schemaHash: pinned }) => (strategy === "Pinned") === (pinned !== undefined),
    message:
      "schemaHash must be given with the strategy Pinned and with no other: name an APISchema or remove it",
    field: "schemaHash",
  }),
  status: z.strictObject({
    ...commonStatus(),
    schemaHash: schemaHash().optional().describe("The schema that all agree on: the name of an APISchema."),
    kind: text(63).optional().describe("The kind, in CamelCase."),
    scope: z.enum(["Cluster", "Namespaced"]).optional().describe("Whether its objects are in namespaces."),
    clusters: mapOf(
      z.strictObject({
        name: clusterName().describe("The cluster."),
        compatible: z.boolean().describe("Whether the hub's objects can go there."),
        reason: text(128).optional().describe("Why not, as one word."),
      }),
      "name",
      2000,
    )
      .optional()
      .describe("The clusters that have the kind."),
    compatible: z.int().min(0).optional().describe("How many clusters are compatible."),
    total: z.int().min(0).optional().describe("How many clusters have the kind."),
    narrowed: z
      .int()
      .min(0)
      .optional()
      .describe("At how many places the clusters differ, so that less is accepted than by some of them."),
    differences: listOf(difference, 50).optional().describe("Those places, the worst first."),
  }),
  changes: sameResource(
    ["group", "version", "resource"],
    "what is negotiated cannot be changed, because the object is named after it: make another",
  ),
  columns: [
    { name: "Kind", type: "string", jsonPath: ".status.kind", description: "The kind." },
    {
      name: "Strategy",
      type: "string",
      jsonPath: ".spec.strategy",
      description: "How the clusters are brought together.",
    },
    {
      name: "Clusters",
      type: "integer",
      jsonPath: ".status.total",
      description: "Clusters that have the kind.",
    },
    {
      name: "Compatible",
      type: "integer",
      jsonPath: ".status.compatible",
      description: "Those of them to which objects can go.",
    },
    {
      name: "Narrowed",
      type: "integer",
      jsonPath: ".status.narrowed",
      description: "Places at which clusters differ.",
    },
    {
      name: "Published",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Published')].status",
      description: "Whether the hub serves it.",
    },
    {
      name: "Enforced",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Enforced')].status",
      description: "Whether a definition made by hand holds instead of what was negotiated.",
      wide: true,
    },
    {
      name: "Reason",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Published')].reason",
      description: "Why it is served or not.",
      wide: true,
    },
  ],
  example: {
    metadata: { name: "certificates.v1.cert-manager.io" },
    spec: { group: "cert-manager.io", version: "v1", resource: "certificates", publish: true },
  },
});

/** What the clusters agree on about one version of a kind. */
export type NegotiatedAPIResource = ObjectOf<typeof negotiatedApiResource>;
/** The spec of a {@link NegotiatedAPIResource} as it is written. */
export type NegotiatedAPIResourceSpecInput = SpecInputOf<typeof negotiatedApiResource>;
