import { lastLines, nextStep, type InstallerFacts, type Step } from "./step";

type Told = Parameters<typeof nextStep>[1];
const nothing: InstallerFacts = { runs: false, fetched: false, started: false, exitCode: undefined };
const begun = { fetched: true, started: true };

test.each<[string, Parameters<typeof nextStep>[0], Told, Partial<InstallerFacts>, Step]>([
  ["a node that was handed over begins with the installer", "run", {}, {}, "fetch"],
  ["an installer that is there is started", "run", {}, { fetched: true }, "start"],
  ["one that is there is not started after an abort", "end", {}, { fetched: true }, "abort"],
  ["nothing is fetched after an abort", "end", {}, {}, "abort"],
  ["one that was refused is not tried again", "run", { installer: "Refused" }, {}, "nothing"],
  [
    "one that was begun on a machine that knows nothing of it is lost, never begun again",
    "run",
    { installer: "Running", attempt: 1 },
    {},
    "lose",
  ],
  [
    "one that ended is not begun again on a machine that knows nothing of it",
    "run",
    { installer: "Failed", attempt: 1 },
    {},
    "nothing",
  ],
  ["one that runs is watched", "run", {}, { fetched: true, runs: true }, "watch"],
  ["one that runs is let run after an abort", "end", {}, { ...begun, runs: true }, "watch"],
  ["one that the node is given up with is stopped", "stop", {}, { ...begun, runs: true }, "stop"],
  ["one that ended is told of", "run", {}, { ...begun, exitCode: 0 }, "finish"],
  ["one that ended is told of after an abort too", "end", {}, { ...begun, exitCode: 1 }, "finish"],
  ["one that began and is nowhere is lost, never begun again", "run", {}, begun, "lose"],
  [
    "one that was stopped before it left a mark is lost",
    "stop",
    { installer: "Running" },
    { fetched: true },
    "lose",
  ],
  ["one that was not begun when its node was given up stays so", "stop", {}, { fetched: true }, "nothing"],
])("%s", (_what, order, told, facts, step) => {
  expect(nextStep(order, told, { ...nothing, ...facts })).toBe(step);
});

test("the last lines are whole ones, without orders to terminals, and few when all went well", () => {
  const lines = Array.from({ length: 2000 }, (_, index) => `line ${index}`);
  const text = `${lines.join("\n")}\n\u001b[31mred\u001b[0m\u0000\n\n`;
  const failed = lastLines(text, 1);
  expect(failed.length).toBeLessThanOrEqual(4096);
  expect(failed).toMatch(/^line \d+\n/);
  expect(failed.endsWith("\nred")).toBe(true);
  expect(lastLines(text, 0).length).toBeLessThanOrEqual(256);
  expect(lastLines("", 0)).toBe("");
});
