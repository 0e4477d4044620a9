// Twenty seeds of each row of faults on one set-up: `npm run test:soak -- controllers/syncer`.
import { repeatable, testSeeds } from "../../test/harness/seed";
import { startFleet } from "./testing/campaign";
import { HUB_ROWS, SLOW_ROWS } from "./testing/hub-rows";
import { ROWS } from "./testing/rows";

let started: Awaited<ReturnType<typeof startFleet>> | undefined;

beforeAll(async () => {
  started = await startFleet();
});

afterAll(async () => {
  await started?.stop();
});

describe.each(Object.entries({ ...ROWS, ...HUB_ROWS, ...SLOW_ROWS }))("row %s", (_what, row) => {
  test.each(testSeeds(20))("seed %d", async (seed) => {
    await repeatable(seed, __filename, async () => {
      if (started === undefined) throw new Error("There is no fleet.");
      await row(started.fleet, seed);
    });
  });
});
