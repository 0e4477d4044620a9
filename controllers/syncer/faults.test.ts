// One seed of each row of faults; `seeds.soak.test.ts` has twenty.
import { repeatable, testSeed } from "../../test/harness/seed";
import { startFleet } from "./testing/campaign";
import { HUB_ROWS } from "./testing/hub-rows";
import { ROWS } from "./testing/rows";

let started: Awaited<ReturnType<typeof startFleet>> | undefined;

beforeAll(async () => {
  started = await startFleet();
});

afterAll(async () => {
  await started?.stop();
});

test.each(Object.entries({ ...ROWS, ...HUB_ROWS }))("row %s", async (_what, row) => {
  const seed = testSeed();
  await repeatable(seed, __filename, async () => {
    if (started === undefined) throw new Error("There is no fleet.");
    await row(started.fleet, seed);
  });
});
