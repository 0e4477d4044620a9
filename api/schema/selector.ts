// Label selectors as Kubernetes has them, for the specs of kinds.
import { z } from "zod";
import { listOf } from "./list";
import { celRaw, withKeywords, withRule } from "./rule";
import { LABEL_KEY, LABEL_VALUE, labelValue, textLike } from "./text";

const key = new RegExp(`^(?:${LABEL_KEY})$`);
const value = new RegExp(`^(?:${LABEL_VALUE})$`);
const needsValues = (operator: string): boolean => operator === "In" || operator === "NotIn";

const requirement = withRule(
  z.strictObject({
    key: textLike(
      317,
      LABEL_KEY,
      `the key must be a label key: an optional DNS prefix and "/", then at most 63 letters, digits, "-", "_" and "."`,
    ).describe("The label's key."),
    operator: z
      .enum(["In", "NotIn", "Exists", "DoesNotExist"])
      .describe("How the label's value relates to `values`."),
    values: listOf(labelValue(), 32)
      .optional()
      .describe("The values for `In` and `NotIn`; none for the other two."),
  }),
  {
    cel: `(self.operator in ["In", "NotIn"]) == (has(self.values) && size(self.values) > 0)`,
    holds: ({ operator, values = [] }) => needsValues(operator) === values.length > 0,
    message:
      "values must be given with the operators In and NotIn, and left out with Exists and DoesNotExist",
    field: "values",
  },
);

/** A label selector, as Kubernetes has it. An empty one selects everything. */
export function labelSelector() {
  return withKeywords(
    z.strictObject({
      matchLabels: withRule(
        withRule(withKeywords(z.record(z.string(), z.string().max(63)), { maxProperties: 32 }), {
          cel: `self.all(k, size(k) <= 317 && k.matches(${celRaw(`^(?:${LABEL_KEY})$`)}))`,
          holds: (labels) => Object.keys(labels).every((name) => name.length <= 317 && key.test(name)),
          message: `every key of matchLabels must be a label key: an optional DNS prefix and "/", then at most 63 letters, digits, "-", "_" and "."`,
        }),
        {
          cel: `self.all(k, self[k].matches(${celRaw(`^(?:${LABEL_VALUE})$`)}))`,
          holds: (labels) => Object.values(labels).every((text) => value.test(text)),
          message: `every value of matchLabels must be a label value: empty or at most 63 letters, digits, "-", "_" and "."`,
        },
      )
        .optional()
        .describe("Labels that must all be there with these values."),
      matchExpressions: listOf(requirement, 16).optional().describe("Requirements that must all hold."),
    }),
    { "x-kubernetes-map-type": "atomic" },
  );
}

/** A label selector. */
export type LabelSelector = z.output<ReturnType<typeof labelSelector>>;
