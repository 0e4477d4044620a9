// Rows of the fault matrix that belong to the runtime, twenty seeds each. The tests are those of `npm test`, which take one seed there: here each
// seed has all of them once more, with a namespace, clients and faults of its own.
import { testSeeds } from "../../test/harness/seed";

describe.each(testSeeds(20))("seed %i", (seed) => {
  const given = process.env.FLEETWRIGHT_SEED;
  process.env.FLEETWRIGHT_SEED = String(seed);
  jest.isolateModules(() => {
    /* eslint-disable @typescript-eslint/no-require-imports -- an import would be loaded once, for all seeds */
    require("./fault-matrix.test");
    require("./leader-election.test");
    require("./certificate-rotation.test");
    /* eslint-enable @typescript-eslint/no-require-imports */
  });
  if (given === undefined) delete process.env.FLEETWRIGHT_SEED;
  else process.env.FLEETWRIGHT_SEED = given;
});
