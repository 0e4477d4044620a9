// The kind APIResourceImport: what one cluster says of one kind.
import { z } from "zod";
import { commonStatus } from "../schema/condition";
import { defineKind, type ObjectOf, type SpecInputOf } from "../schema/kind";
import { listOf } from "../schema/list";
import { HUB_PLURALS } from "./names";
import {
  clusterName,
  difference,
  resourceColumn,
  resourceFields,
  resourceNames,
  resourceSubresources,
  sameResource,
  schemaHash,
} from "./resource";

/** The kind `APIResourceImport`: what one cluster says of one version of a kind. */
export const apiResourceImport = defineKind({
  kind: "APIResourceImport",
  plural: HUB_PLURALS.APIResourceImport,
  shortNames: ["fwimport"],
  summary: "What one cluster says of one version of a kind: its names, its subresources and its schema.",
  details: [
    "The hub writes one for each kind that it imports from a cluster, named `<cluster>.<resource>.<version>.<group>`, and removes it when the cluster no longer serves the kind. It is nothing to write by hand.",
    "`Compatible` says whether objects of the kind, as the hub has it, can go to this cluster; `differences` says what stands against it, or what the cluster's schema cost the others. `Available` says whether the hub serves the kind.",
  ],
  spec: z.strictObject({
    cluster: clusterName().describe("The cluster that it was imported from."),
    ...resourceFields(),
    names: resourceNames.describe("How the kind is called."),
    scope: z.enum(["Cluster", "Namespaced"]).describe("Whether its objects are in namespaces."),
    source: z
      .enum(["CustomResourceDefinition", "OpenAPI"])
      .describe("Where the schema was read: in a definition, or in what the server publishes of itself."),
    subresources: resourceSubresources.prefault({}).describe("Its subresources."),
    columns: listOf(resourceColumn, 64).default([]).describe("What `kubectl get` shows of it."),
    schemaHash: schemaHash().describe("Its schema: the name of an APISchema."),
  }),
  status: z.strictObject({
    ...commonStatus(),
    differences: listOf(difference, 50)
      .optional()
      .describe("Where this cluster differs from what the hub has, the worst first."),
    differencesTotal: z.int().min(0).optional().describe("How many there are in all."),
  }),
  changes: sameResource(
    ["cluster", "group", "version", "resource"],
    "what is imported cannot be changed, because the object is named after it: make another",
  ),
  columns: [
    { name: "Cluster", type: "string", jsonPath: ".spec.cluster", description: "The cluster." },
    { name: "Kind", type: "string", jsonPath: ".spec.names.kind", description: "The kind." },
    { name: "Version", type: "string", jsonPath: ".spec.version", description: "Its version.", wide: true },
    { name: "Group", type: "string", jsonPath: ".spec.group", description: "Its group.", wide: true },
    {
      name: "Compatible",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Compatible')].status",
      description: "Whether the hub's objects can go there.",
    },
    {
      name: "Available",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Available')].status",
      description: "Whether the hub serves the kind.",
    },
    {
      name: "Differences",
      type: "integer",
      jsonPath: ".status.differencesTotal",
      description: "Where it differs from what the hub has.",
    },
    {
      name: "Reason",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Compatible')].reason",
      description: "Why it is compatible or not.",
      wide: true,
    },
  ],
  example: {
    metadata: { name: "east.certificates.v1.cert-manager.io" },
    spec: {
      cluster: "east",
      group: "cert-manager.io",
      version: "v1",
      resource: "certificates",
      names: { kind: "Certificate", singular: "certificate", shortNames: ["cert"] },
      scope: "Namespaced",
      source: "CustomResourceDefinition",
      subresources: { status: true },
      schemaHash: "e7a5d41fd68b0fe2c3a36d9be55ab3ac0a04eb8ec4ee5cf98a03a3d0aefda9f8",
    },
  },
});

/** What one cluster says of one version of a kind. */
export type APIResourceImport = ObjectOf<typeof apiResourceImport>;
/** The spec of an {@link APIResourceImport} as it is written. */
export type APIResourceImportSpecInput = SpecInputOf<typeof apiResourceImport>;
