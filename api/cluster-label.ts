import { z } from "zod";
import { CLUSTER_LABEL_PREFIX } from "./names";
import { commonStatus } from "./schema/condition";
import { defineKind, type ObjectOf, type SpecInputOf } from "./schema/kind";
import { labelNamePart, labelValue } from "./schema/text";

/** The status of both kinds of labels. */
export function labelStatus() {
  return z.strictObject({
    ...commonStatus(),
    nodes: z
      .strictObject({
        labelled: z.int().min(0).describe("Nodes that carry the label."),
        total: z.int().min(0).describe("Nodes that should."),
      })
      .optional()
      .describe("Where the label is in place."),
  });
}

/** The columns of both kinds of labels after those that name them. */
export const labelColumns = [
  { name: "Key", type: "string", jsonPath: ".spec.key", description: "The label's key without its prefix." },
  { name: "Value", type: "string", jsonPath: ".spec.value", description: "The label's value." },
  {
    name: "Nodes",
    type: "integer",
    jsonPath: ".status.nodes.labelled",
    description: "Nodes that carry the label.",
  },
  {
    name: "Ready",
    type: "string",
    jsonPath: ".status.conditions[?(@.type=='Ready')].status",
    description: "Whether every node carries the label.",
  },
] as const;

/** The kind `ClusterLabel`: a label on every node. */
export const clusterLabel = defineKind({
  kind: "ClusterLabel",
  plural: "clusterlabels",
  shortNames: ["fwcl"],
  summary: "A label on every node of the cluster.",
  details: [
    `Nodes get \`${CLUSTER_LABEL_PREFIX}<key>: <value>\`. Labels under that prefix become exactly the declared set; all others are never touched.`,
    "If two ClusterLabels have the same key, the older one holds and the younger one says so in a condition.",
  ],
  spec: z.strictObject({
    key: labelNamePart(CLUSTER_LABEL_PREFIX).describe(
      `The label's key; \`${CLUSTER_LABEL_PREFIX}\` is put before it.`,
    ),
    value: labelValue().describe("The label's value; it may be empty."),
  }),
  status: labelStatus(),
  columns: labelColumns,
  example: { metadata: { name: "environment" }, spec: { key: "environment", value: "staging" } },
});

/** A label on every node of the cluster. */
export type ClusterLabel = ObjectOf<typeof clusterLabel>;
/** The spec of a {@link ClusterLabel} as it is written. */
export type ClusterLabelSpecInput = SpecInputOf<typeof clusterLabel>;
