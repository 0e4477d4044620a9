import { nextStep, reasonIn, type InstallerFacts, type Step } from "./plan";

type LastReport = Parameters<typeof nextStep>[1];
const nothing: InstallerFacts = { running: false, fetched: false, started: false, exitCode: undefined };
const begun = { fetched: true, started: true };

test.each<[string, Parameters<typeof nextStep>[0], LastReport, Partial<InstallerFacts>, Step]>([
  ["a node that gets an order fetches the installer", "run", {}, {}, "fetch"],
  ["a fetched installer is started", "run", {}, { fetched: true }, "start"],
  ["a fetched installer is not started after an abort", "end", {}, { fetched: true }, "abort"],
  ["nothing is fetched after an abort", "end", {}, {}, "abort"],
  ["one that was refused is not tried again", "run", { installer: "Refused" }, {}, "nothing"],
  [
    "one reported as running on a machine without its files is lost, never started again",
    "run",
    { installer: "Running", attempt: 1 },
    {},
    "lose",
  ],
  [
    "one that ended is not started again on a machine without its files",
    "run",
    { installer: "Failed", attempt: 1 },
    {},
    "nothing",
  ],
  ["one that runs is watched", "run", {}, { fetched: true, running: true }, "watch"],
  ["one that runs is left to finish after an abort", "end", {}, { ...begun, running: true }, "watch"],
  [
    "one is stopped when the coordinator gives up on the node",
    "stop",
    {},
    { ...begun, running: true },
    "stop",
  ],
  ["one that ended is reported", "run", {}, { ...begun, exitCode: 0 }, "finish"],
  ["one that ended is reported after an abort too", "end", {}, { ...begun, exitCode: 1 }, "finish"],
  ["one that started and is not running is lost, never started again", "run", {}, begun, "lose"],
  [
    "one that was stopped before it left a trace is lost",
    "stop",
    { installer: "Running" },
    { fetched: true },
    "lose",
  ],
  [
    "one that was not started when the coordinator gave up is not started",
    "stop",
    {},
    { fetched: true },
    "nothing",
  ],
])("%s", (_what, order, report, facts, step) => {
  expect(nextStep(order, report, { ...nothing, ...facts })).toBe(step);
});

test.each<[string, string, string]>([
  ["nothing of what an installer writes", "+ curl -H 'Authorization: Bearer s3cret'\nall went well\n", ""],
  ["its own reason", "say\nRefused: no space left on /usr\nbye\n", "Refused: no space left on /usr"],
  ["the last of its reasons", "Refused: one\nRefused: two\n", "Refused: two"],
  ["a reason without colours", "\u001b[31mRefused: red\u001b[0m\u0000\n", "Refused: red"],
  ["no token", "Refused: 401 with Bearer abc.def\n", "Refused: 401 with Bearer …"],
  ["no password", "Refused: PASSWORD=hunter2 was wrong\n", "Refused: PASSWORD=… was wrong"],
  ["no user of a URL", "Refused: https://ada:x@a.test/b\n", "Refused: https://…@a.test/b"],
  ["no long word", `Refused: found ${"aB3".repeat(12)} there\n`, "Refused: found … there"],
  ["digests", `Refused: it is sha256:${"0a".repeat(32)}\n`, `Refused: it is sha256:${"0a".repeat(32)}`],
])("of the output, %s leaves the node", (_what, output, reason) => {
  expect(reasonIn(output)).toBe(reason);
});

test("a reason is cut", () => {
  expect(reasonIn(`Refused: ${"no ".repeat(500)}`)).toHaveLength(256);
});
