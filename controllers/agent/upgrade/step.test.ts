import { lastLines, nextStep, type InstallerFacts, type Step } from "./step";

type Entry = Parameters<typeof nextStep>[0];
const nothing: InstallerFacts = { runs: false, fetched: false, started: false, exitCode: undefined };
const handed: Entry = { phase: "Upgrading" };

test.each<[string, Entry, boolean, Partial<InstallerFacts>, Step]>([
  ["a node that is not in the upgrade is left alone", undefined, false, {}, "nothing"],
  ["a node that is not handed over is left alone", { phase: "Draining" }, false, {}, "nothing"],
  ["a node that was handed over begins with the installer", handed, false, {}, "fetch"],
  ["an installer that is there is started", handed, false, { fetched: true }, "start"],
  ["one that is there is not started after an abort", handed, true, { fetched: true }, "abort"],
  ["nothing is fetched after an abort", handed, true, {}, "abort"],
  ["one that was refused is not tried again", { ...handed, installer: "Refused" }, false, {}, "nothing"],
  [
    "one that was begun on a machine that knows nothing of it is lost, never begun again",
    { ...handed, installer: "Running", attempt: 1 },
    false,
    {},
    "lose",
  ],
  [
    "one that ended is not begun again on a machine that knows nothing of it",
    { ...handed, installer: "Failed", attempt: 1 },
    false,
    {},
    "nothing",
  ],
  ["one that runs is watched", handed, false, { fetched: true, runs: true }, "watch"],
  [
    "one that runs is let run after an abort",
    handed,
    true,
    { fetched: true, started: true, runs: true },
    "watch",
  ],
  [
    "one that runs is let run while the node is verified",
    { phase: "Verifying" },
    false,
    { fetched: true, started: true, runs: true },
    "watch",
  ],
  [
    "one whose time is over is stopped",
    { phase: "Uncordoning", reason: "Timeout" },
    false,
    { fetched: true, started: true, runs: true },
    "stop",
  ],
  ["one on a node that failed is stopped", { phase: "Failed" }, false, { fetched: true, runs: true }, "stop"],
  ["one that ended is told of", handed, false, { fetched: true, started: true, exitCode: 0 }, "finish"],
  [
    "one that ended is told of after an abort too",
    handed,
    true,
    { fetched: true, started: true, exitCode: 1 },
    "finish",
  ],
  [
    "one that began and is nowhere is lost, never begun again",
    handed,
    false,
    { fetched: true, started: true },
    "lose",
  ],
  [
    "one that was stopped before it left a mark is lost",
    { phase: "Failed", installer: "Running" },
    false,
    { fetched: true },
    "lose",
  ],
  [
    "one that was not begun when its node was given up stays so",
    { phase: "Failed" },
    false,
    { fetched: true },
    "nothing",
  ],
])("%s", (_what, entry, ending, facts, step) => {
  expect(nextStep(entry, ending, { ...nothing, ...facts })).toBe(step);
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
