// The kind APISchema: one schema of a kind, stored once however many clusters have it.
import { z } from "zod";
import { commonStatus } from "../schema/condition";
import { defineKind, type ObjectOf, type SpecInputOf } from "../schema/kind";
import { text } from "../schema/text";
import { HUB_PLURALS, MAX_SCHEMA_DATA } from "./names";
import { hashNameRule } from "./resource";

// A pattern and not a CEL rule: a rule on a text this long is beyond what the API server lets one cost.
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The kind `APISchema`: the schema of one version of a kind, by its content. */
export const apiSchema = defineKind({
  kind: "APISchema",
  plural: HUB_PLURALS.APISchema,
  shortNames: ["fwschema"],
  nameRule: hashNameRule,
  summary: "The schema of one version of a kind, stored once by the hash of its content.",
  details: [
    "Its name is the SHA-256 of the schema as JSON with sorted keys and without descriptions, so clusters that have the same schema share one APISchema. Whoever reads it checks the hash.",
    "One that nothing names any more stays; it is small, and a cluster that comes back finds it.",
  ],
  spec: z.strictObject({
    encoding: z.enum(["gzip"]).default("gzip").describe("How `data` is compressed."),
    data: text(MAX_SCHEMA_DATA).regex(BASE64).describe("The compressed text in Base64."),
    size: z.int().min(2).max(67_108_864).describe("How many bytes the text has."),
  }),
  status: z.strictObject(commonStatus()),
  changes: [
    {
      cel: "self.data == oldSelf.data",
      holds: (after, before) => after.data === before.data,
      message: "a schema cannot be changed, because its name is the hash of its content: make another",
      field: "data",
    },
  ],
  columns: [
    { name: "Size", type: "integer", jsonPath: ".spec.size", description: "The bytes of the text." },
    {
      name: "Encoding",
      type: "string",
      jsonPath: ".spec.encoding",
      description: "How it is compressed.",
      wide: true,
    },
  ],
  example: {
    metadata: { name: "e7a5d41fd68b0fe2c3a36d9be55ab3ac0a04eb8ec4ee5cf98a03a3d0aefda9f8" },
    spec: { data: "H4sIAAAAAAAAA6tWKqksSFWyUspPykpNLlGqBQBMsQlPEQAAAA==", size: 17 },
  },
});

/** The schema of one version of a kind. */
export type APISchema = ObjectOf<typeof apiSchema>;
/** The spec of an {@link APISchema} as it is written. */
export type APISchemaSpecInput = SpecInputOf<typeof apiSchema>;
