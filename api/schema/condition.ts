import { z } from "zod";
import { mapOf } from "./list";
import { recordedTimestamp, text } from "./text";

const condition = z.strictObject({
  type: text(316).describe("What the condition is about, in CamelCase."),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it holds."),
  observedGeneration: z.int().min(0).optional().describe("The generation of the object that was observed."),
  lastTransitionTime: recordedTimestamp().describe("When `status` last changed."),
  reason: text(1024).describe("Why, as one word in CamelCase."),
  message: text(32768, 0).describe("Why, as a sentence: what, where, the value found and the fix."),
});

/** One judgement about an object. */
export type Condition = z.output<typeof condition>;

/** The status fields that every kind has. */
export function commonStatus() {
  return {
    observedGeneration: z
      .int()
      .min(0)
      .optional()
      .describe("The generation of the object that this status is about."),
    conditions: mapOf(condition, "type", 32)
      .optional()
      .describe("What holds of the object, one entry a type."),
  };
}
