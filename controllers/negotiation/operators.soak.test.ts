// What two releases of well-known operators agree on is a definition that a real API server takes and serves.
import { StrictServer } from "./testing/strict-server";
import { meet } from "./meet";
import { publishable } from "./publishable";
import { pairs } from "./testing/operators/definitions";

let server: StrictServer;

beforeAll(async () => {
  server = await StrictServer.start();
}, 120_000);
afterAll(() => server.stop(), 60_000);

test.each(pairs().map((pair) => [pair.title, pair] as const))(
  "%s: published",
  async (_, { older, newer }) => {
    const met = meet([
      { name: "older", schema: older },
      { name: "newer", schema: newer },
    ]).schema;
    const schema = met === undefined ? undefined : publishable(met);
    expect(await server.refusal(schema ?? {})).toBe("");
  },
);
