import { z } from "zod";
import { labelColumns, labelStatus } from "./cluster-label";
import { NODE_POOL_LABEL, NODE_POOL_LABEL_PREFIX } from "./names";
import { defineKind, type ObjectOf, type SpecInputOf } from "./schema/kind";
import { dnsLabelName, labelNamePart, labelValue } from "./schema/text";

/** The kind `NodePoolLabel`: a label on the nodes of one pool. */
export const nodePoolLabel = defineKind({
  kind: "NodePoolLabel",
  plural: "nodepoollabels",
  shortNames: ["fwnpl"],
  summary: "A label on every node of one node pool.",
  details: [
    `Nodes whose label \`${NODE_POOL_LABEL}\` is the pool's name get \`${NODE_POOL_LABEL_PREFIX}<key>: <value>\`. Labels under that prefix become exactly the declared set; all others are never touched.`,
    "A pool without nodes is no error: its nodes get the label when they come.",
  ],
  spec: z.strictObject({
    pool: dnsLabelName("the pool's name").describe(`The pool, as in the node label \`${NODE_POOL_LABEL}\`.`),
    key: labelNamePart(NODE_POOL_LABEL_PREFIX).describe(
      `The label's key; \`${NODE_POOL_LABEL_PREFIX}\` is put before it.`,
    ),
    value: labelValue().describe("The label's value; it may be empty."),
  }),
  status: labelStatus(),
  columns: [
    { name: "Pool", type: "string", jsonPath: ".spec.pool", description: "The node pool." },
    ...labelColumns,
  ],
  example: {
    metadata: { name: "workers-disk" },
    spec: { pool: "workers", key: "disk", value: "nvme" },
  },
});

/** A label on every node of one node pool. */
export type NodePoolLabel = ObjectOf<typeof nodePoolLabel>;
/** The spec of a {@link NodePoolLabel} as it is written. */
export type NodePoolLabelSpecInput = SpecInputOf<typeof nodePoolLabel>;
