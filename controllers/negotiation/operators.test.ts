// Definitions of well-known operators, of two releases each: met and explained. operators.soak.test.ts serves them, too.
import { explain } from "./explain";
import { meet } from "./meet";
import { publishable } from "./publishable";
import { accepts } from "./validate";
import { pairs } from "./testing/operators/definitions";
import { OPERATORS } from "./testing/operators/operators";

const all = pairs();

test("every operator has a kind that both of its releases serve", () => {
  for (const { name } of OPERATORS)
    expect(all.filter(({ title }) => title.includes(` of ${name} `))).not.toEqual([]);
});

// The schemas of workflows have megabytes each; the soak has them.
const short = all.filter(({ title }) => !title.includes("argo-workflows"));

test.each(short.map((pair) => [pair.title, pair] as const))(
  "%s: met and explained",
  (_, { older, newer }) => {
    const sides = [
      { name: "older", schema: older },
      { name: "newer", schema: newer },
    ];
    const met = meet(sides);
    const schema = met.schema && publishable(met.schema);
    expect(schema).toBeDefined();
    const losses = explain(sides, met).filter(({ effect }) => effect !== "Note");
    for (const { by, document } of losses) {
      if (document === undefined || schema === undefined) continue;
      expect(accepts(by === "older" ? older : newer, document)).toBe(true);
      expect(accepts(schema, document)).toBe(false);
    }
    const shown = losses.filter(({ document }) => document !== undefined).length;
    // A field deep within branches may be left without a document, most are not.
    expect(shown).toBeGreaterThanOrEqual(losses.length / 2);
  },
);
