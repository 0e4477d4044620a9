import { z } from "zod";
import { withKeywords } from "./rule";

/** A list without duplicates, whose entries may come from several field managers. */
export function setOf<Item extends z.ZodType<string>>(item: Item, max: number): z.ZodArray<Item> {
  return withKeywords(
    distinct(z.array(item).max(max), (value) => value),
    {
      "x-kubernetes-list-type": "set",
    },
  );
}

/** A list of objects distinguished by one field, so that several field managers can each own some of them. */
export function mapOf<Item extends z.ZodType<Record<string, unknown>>>(
  item: Item,
  key: string & keyof z.output<Item>,
  max: number,
): z.ZodArray<Item> {
  return withKeywords(
    distinct(z.array(item).max(max), (value) => value[key]),
    {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": [key],
    },
  );
}

/** A list whose order and content belong together: one field manager owns all of it. */
export function listOf<Item extends z.ZodType>(item: Item, max: number): z.ZodArray<Item> {
  return withKeywords(z.array(item).max(max), { "x-kubernetes-list-type": "atomic" });
}

function distinct<Item extends z.ZodType>(
  list: z.ZodArray<Item>,
  identity: (value: z.output<Item>) => unknown,
): z.ZodArray<Item> {
  return list.superRefine((values, context) => {
    const seen = new Set<unknown>();
    values.forEach((value, index) => {
      if (seen.has(identity(value)))
        context.addIssue({ code: "custom", message: "Duplicate value", path: [index] });
      seen.add(identity(value));
    });
  });
}
