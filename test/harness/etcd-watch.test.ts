import { countSeconds } from "./etcd-watch";

const healthy = { isUp: true, isHealthy: true };
const choosing = { isUp: true, isHealthy: false };
const down = { isUp: false, isHealthy: false };

test.each([
  ["all three", [[healthy, healthy, healthy]], { fewestUp: 3, withoutQuorum: 0, choosing: 0 }],
  ["two, of which one is behind", [[healthy, choosing]], { fewestUp: 2, withoutQuorum: 0, choosing: 0 }],
  [
    "one that still believes in its majority",
    [[healthy, down]],
    { fewestUp: 1, withoutQuorum: 1, choosing: 0 },
  ],
  ["nobody", [[]], { fewestUp: 0, withoutQuorum: 1, choosing: 0 }],
  [
    "an election of two seconds, and one of one",
    [
      [healthy, healthy],
      [choosing, choosing],
      [choosing, choosing],
      [healthy, healthy],
      [choosing, choosing],
    ],
    { fewestUp: 2, withoutQuorum: 0, choosing: 3, longestChoice: 2 },
  ],
])("counts seconds with %s", (_, seconds, expected) => {
  expect(countSeconds(seconds, 3)).toMatchObject({ seconds: seconds.length, ...expected });
});
