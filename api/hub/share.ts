// The kind Share: what one cluster is to run of one object.
import { z } from "zod";
import { commonStatus } from "../schema/condition";
import { defineKind, type ObjectOf, type SpecInputOf } from "../schema/kind";
import { listOf } from "../schema/list";
import { dnsLabelName, objectName, recordedTimestamp, text, textLike } from "../schema/text";
import { HUB_PLURALS, MAX_MANIFEST, MAX_OBSERVED } from "./names";

const hash = (): z.ZodString =>
  textLike(64, "[0-9a-f]{64}", "the hash must be the SHA-256 of the manifest, as 64 hexadecimal digits");

/** The kind `Share`: what one cluster is to run of one object. */
export const share = defineKind({
  kind: "Share",
  plural: HUB_PLURALS.Share,
  shortNames: ["fwshare"],
  scope: "Namespaced",
  summary: "What one cluster is to run of one object.",
  details: [
    "A Share is in the namespace `cluster-<name>` of its cluster, and a cluster's syncer may read no other. The hub writes the spec; the syncer applies the manifest in the cluster and writes what came of it to status.",
    "The manifest is text, because the API server takes much longer over the same as an object.",
  ],
  spec: z.strictObject({
    root: z
      .strictObject({
        apiVersion: text(317).describe("Its apiVersion."),
        kind: text(63).describe("Its kind."),
        namespace: dnsLabelName("the root's namespace").optional().describe("Its namespace, if it has one."),
        name: objectName("the root's name").describe("Its name."),
        uid: text(64).describe("Its UID."),
        generation: z
          .int()
          .min(0)
          .default(0)
          .describe("The generation that the manifest was made of; 0 for kinds that have none."),
      })
      .describe("The object on the hub that this is a share of."),
    manifest: text(MAX_MANIFEST).describe("What is applied in the cluster, as JSON."),
    hash: hash().describe("The SHA-256 of the manifest."),
    replicas: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .optional()
      .describe("How many of the root's replicas run here."),
    ordinalStart: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .optional()
      .describe("The ordinal of the first replica, where replicas have names."),
    phase: z
      .enum(["Active", "Draining"])
      .default("Active")
      .describe("Draining: it goes as soon as what replaces it elsewhere is there."),
  }),
  status: z.strictObject({
    ...commonStatus(),
    appliedHash: hash().optional().describe("The manifest that was applied last."),
    appliedGeneration: z
      .int()
      .min(0)
      .optional()
      .describe("The root's generation that the applied manifest was made of."),
    appliedAt: recordedTimestamp().optional().describe("When it was applied."),
    uid: text(64).optional().describe("The UID of the object in the cluster; nothing else is ever deleted."),
    memberGeneration: z.int().min(0).optional().describe("The object's generation in the cluster."),
    observed: text(MAX_OBSERVED, 0).optional().describe("The object's status in the cluster, as JSON."),
    observedTruncated: z.boolean().optional().describe("Whether parts of it were left out for its size."),
    dropped: listOf(text(1024), 20)
      .optional()
      .describe("Fields that the cluster took without an error and did not keep."),
  }),
  changes: [
    {
      cel: "self.root.uid == oldSelf.root.uid",
      holds: (after, before) => after.root.uid === before.root.uid,
      message: "a share cannot go over to another root: delete it and make a new Share",
      field: "root.uid",
    },
  ],
  columns: [
    { name: "Kind", type: "string", jsonPath: ".spec.root.kind", description: "The root's kind." },
    {
      name: "Root Namespace",
      type: "string",
      jsonPath: ".spec.root.namespace",
      description: "The root's namespace.",
    },
    { name: "Root", type: "string", jsonPath: ".spec.root.name", description: "The root's name." },
    { name: "Replicas", type: "integer", jsonPath: ".spec.replicas", description: "Replicas here." },
    {
      name: "Applied",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Applied')].status",
      description: "Whether the cluster has it.",
    },
    {
      name: "Healthy",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Healthy')].status",
      description: "Whether it runs there.",
    },
    {
      name: "Reason",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Applied')].reason",
      description: "Why it is applied or not.",
      wide: true,
    },
    {
      name: "Drifted",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Drifted')].status",
      description: "Whether somebody else changes it there.",
      wide: true,
    },
    {
      name: "Dropped",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Dropped')].status",
      description: "Whether the cluster did not keep all of it.",
      wide: true,
    },
    { name: "Phase", type: "string", jsonPath: ".spec.phase", description: "Whether it goes.", wide: true },
  ],
  example: {
    metadata: { name: "web-5d2c", namespace: "cluster-east" },
    spec: {
      root: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        namespace: "shop",
        name: "web",
        uid: "6d8a0b6e-3c1f-4a5e-9a53-4f6d3c9c6f5e",
        generation: 3,
      },
      replicas: 2,
      manifest: `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"}}`,
      hash: "34f16c38a6b3a4b2ae2e9f93a1a7d6bd1c1f6d8a4d3b4be19d6a4f8f5a6b7c8d",
    },
  },
});

/** What one cluster is to run of one object. */
export type Share = ObjectOf<typeof share>;
/** The spec of a {@link Share} as it is written. */
export type ShareSpecInput = SpecInputOf<typeof share>;
