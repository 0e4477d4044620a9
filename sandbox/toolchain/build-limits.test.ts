import { buildLimits, thisMachine } from "./build-limits";

const GIB = 2 ** 30;

test.each([
  ["two cores and 24 GiB", 2, 24, 2, "3072MiB"],
  ["two cores and 8 GiB", 2, 8, 2, "1536MiB"],
  ["sixteen cores and 64 GiB", 16, 64, 2, "1536MiB"],
  ["two cores and 4 GiB: one build", 2, 4, 1, "1536MiB"],
  ["one core and 4 GiB: one build", 1, 4, 1, "3072MiB"],
  ["two cores and 2 GiB: one build, Go's own collector", 2, 2, 1, undefined],
  ["sixteen cores and 8 GiB: one build, Go's own collector", 16, 8, 1, undefined],
])("%s", (_, cores, gibibytes, builds, limit) => {
  expect(buildLimits({ cores, memory: gibibytes * GIB })).toEqual({
    builds,
    compilers: cores,
    collector: limit === undefined ? {} : { GOGC: "off", GOMEMLIMIT: limit },
  });
});

test("all compilers together never get more than three quarters of the memory", () => {
  for (const cores of [1, 2, 4, 8, 64]) {
    for (const gibibytes of [1, 2, 4, 16, 128]) {
      const { builds, compilers, collector } = buildLimits({ cores, memory: gibibytes * GIB });
      const each = Number.parseInt(collector.GOMEMLIMIT ?? "0") / 1024;
      expect(builds * compilers * each).toBeLessThanOrEqual(gibibytes * 0.75);
    }
  }
});

test("this machine has cores and memory", () => {
  expect(thisMachine().cores).toBeGreaterThan(0);
  expect(thisMachine().memory).toBeGreaterThan(0);
});
