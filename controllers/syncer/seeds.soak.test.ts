// Twenty seeds of each row of faults on one set-up: `npm run test:soak -- controllers/syncer`.
import { FleetServer, installHubKinds, ShareProbe } from "../../test/harness/fleet";
import { repeatable, testSeeds } from "../../test/harness/seed";
import type { Fleet } from "./testing/campaign";
import { ROWS } from "./testing/rows";

let fleet: Fleet | undefined;

beforeAll(async () => {
  const components = { controllerManager: false, scheduler: false };
  const [hub, member] = await Promise.all([
    FleetServer.start({ components }),
    FleetServer.start({ components }),
  ]);
  await installHubKinds(hub, ["Share"]);
  fleet = { hub, member, shares: new ShareProbe(hub, "east") };
  await fleet.shares.open();
});

afterAll(async () => {
  await Promise.all([fleet?.hub.stop(), fleet?.member.stop()]);
});

describe.each(Object.entries(ROWS))("row %s", (_what, row) => {
  test.each(testSeeds(20))("seed %d", async (seed) => {
    await repeatable(seed, __filename, async () => {
      if (fleet === undefined) throw new Error("There is no fleet.");
      await row(fleet, seed);
    });
  });
});
