// What the meet says against what a real API server does; server.soak.test.ts does the same with many more.
import { repeatable, testSeed } from "../../test/harness/seed";
import { StrictServer } from "./testing/strict-server";

const SEED = testSeed(51_000);
let server: StrictServer;

beforeAll(async () => {
  server = await StrictServer.start();
}, 120_000);
afterAll(() => server.stop(), 60_000);

test("what the meet of random schemas accepts, each of them accepts", () =>
  repeatable(SEED, __filename, async () => {
    const verdict = await server.pairs(SEED, 24, 15);
    expect(verdict).toMatchObject({ unsound: [], refusedMeets: [], disagreements: [] });
    // Otherwise it would say little.
    expect(verdict.accepted).toBeGreaterThan(15);
    expect(verdict.documents - verdict.accepted).toBeGreaterThan(20);
  }));
