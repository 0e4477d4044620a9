import { repeatable, repeatCommand } from "./seed";

test.each<[string, string, string]>([
  ["controllers/a.test.ts", "cuts", "npx jest controllers/a.test.ts -t 'cuts'"],
  [
    "controllers/a.soak.test.ts",
    "drives the coordinator row 7: a slow API server seed 3",
    "npx jest --config jest.soak.config.js controllers/a.soak.test.ts -t 'row 7:'",
  ],
  [
    "controllers/a.soak.test.ts",
    "hub row H12: it's slow",
    "npx jest --config jest.soak.config.js controllers/a.soak.test.ts -t 'row H12:'",
  ],
  ["a.test.ts", "it's (1 + 1)", `npx jest a.test.ts -t 'it.s \\(1 \\+ 1\\)'`],
])("a failure in %s, %p, is repeated by the command that runs it", (file, title, command) => {
  expect(repeatCommand(3, file, title)).toBe(`FLEETWRIGHT_SEED=3 ${command}`);
});

test("a failed run says its seed, and names this very test", async () => {
  const failing = repeatable(5, __filename, () => Promise.reject(new Error("three of four")));
  await expect(failing).rejects.toThrow(
    "three of four\nSeed 5; to repeat: FLEETWRIGHT_SEED=5 npx jest test/harness/seed.test.ts -t 'a failed run says its seed, and names this very test'",
  );
});
