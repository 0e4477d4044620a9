import { HealthTally, type Health } from "./health";

test.each<[string, string, Health[]]>([
  ["waits for the threshold", "++", ["initial", "healthy"]],
  ["begins to count anew after a failure", "+-++", ["initial", "initial", "initial", "healthy"]],
  ["forgives one failure", "++-+", ["initial", "healthy", "healthy", "healthy"]],
  [
    "becomes unhealthy and healthy again",
    "++---++",
    ["initial", "healthy", "healthy", "healthy", "unhealthy", "unhealthy", "healthy"],
  ],
])("a target's health %s", (_name, results, states) => {
  const tally = new HealthTally({ healthyThreshold: 2, unhealthyThreshold: 3 });
  const seen = Array.from(results).map((result) => {
    const before = tally.state;
    expect(tally.record(result === "+")).toBe(before !== tally.state);
    return tally.state;
  });
  expect(seen).toEqual(states);
});
