import { compareSightings, parseSightings } from "./lag";

test("a write that was not seen is lost, one that was seen late has a lag", () => {
  const accepted = parseSightings("1 1000000\n2 1100000\n3 1200000\n");
  const seen = parseSightings("3 1300000\n1 1002000\n");
  const { lost, p50Ms, p99Ms, perSecond } = compareSightings(accepted, seen);
  expect([lost, p50Ms, p99Ms]).toEqual([1, 100, 100]);
  expect(perSecond).toBeCloseTo(2 / 0.3);
});

test("the 99th percentile leaves the worst hundredth out", () => {
  const versions = Array.from({ length: 1000 }, (_, index) => index);
  const accepted = new Map(versions.map((version) => [String(version), 0]));
  const seen = new Map(versions.map((version) => [String(version), version * 1000]));
  expect(compareSightings(accepted, seen)).toMatchObject({ lost: 0, p50Ms: 500, p99Ms: 990 });
});

test("an event that overtakes the answer has no lag", () => {
  expect(compareSightings(new Map([["1", 5000]]), new Map([["1", 4000]])).p99Ms).toBe(0);
});
