// What two releases of well-known operators agree on is a definition that a real API server takes and serves.
import { Judge } from "./testing/judge";
import { meet } from "./meet";
import { publishable } from "./publishable";
import { pairs } from "./testing/operators/definitions";

let judge: Judge;

beforeAll(async () => {
  judge = await Judge.start();
}, 120_000);
afterAll(() => judge.stop(), 60_000);

test.each(pairs().map((pair) => [pair.title, pair] as const))(
  "%s: published",
  async (_, { older, newer }) => {
    const met = meet([
      { name: "older", schema: older },
      { name: "newer", schema: newer },
    ]).schema;
    const schema = met === undefined ? undefined : publishable(met);
    expect(await judge.refusal(schema ?? {})).toBe("");
  },
);
