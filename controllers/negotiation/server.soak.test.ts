// Ten thousand random documents for random pairs of schemas and their meets, on a real API server.
import { repeatable, testSeed } from "../../test/harness/seed";
import { StrictServer } from "./testing/strict-server";

const SEED = testSeed();
const ROUNDS = 20;
let server: StrictServer;

beforeAll(async () => {
  server = await StrictServer.start();
}, 120_000);
afterAll(() => server.stop(), 60_000);

test("what the meet of random schemas accepts, each of them accepts: 10,000 documents", () =>
  repeatable(SEED, __filename, async () => {
    const totals = { pairs: 0, nothing: 0, refusedPairs: 0, documents: 0, accepted: 0, lost: 0 };
    for (let round = 0; totals.documents < 10_000; round++) {
      expect(round).toBeLessThan(ROUNDS * 3);
      const verdict = await server.pairs(SEED + round * 1000, 40, 25);
      expect(verdict).toMatchObject({ unsound: [], refusedMeets: [], disagreements: [] });
      for (const key of ["pairs", "nothing", "refusedPairs", "documents", "accepted", "lost"] as const)
        totals[key] += verdict[key];
    }
    process.stderr.write(`Seed ${SEED}: ${JSON.stringify(totals)}\n`);
    expect(totals.accepted).toBeGreaterThan(2000);
  }));
