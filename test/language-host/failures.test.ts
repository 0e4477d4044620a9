import { Engine, type Outcome } from "../harness/engine";

let engine: Engine;
let program: string;

beforeAll(async () => {
  engine = await Engine.open();
  program = engine.program("failing");
  await engine.expect(["stack", "init", "dev"], program);
});

afterAll(() => engine.close());

async function failing(how: string): Promise<Outcome & { shown: string; diagnostics: string }> {
  const outcome = await engine.pulumi(["preview", "--config", `how=${how}`], program);
  const shown = outcome.stdout + outcome.stderr;
  // The engine shows messages once while it runs and once more in this summary at the end.
  return { ...outcome, shown, diagnostics: shown.slice(shown.indexOf("Diagnostics:")) };
}

function times(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** What only people who work on the host or the engine would understand. */
const noise = /rpc error|code = Unknown|grpc|goroutine|panic|exit status/i;

it("shows the error of a program that throws once, with its location and without noise", async () => {
  const { code, shown, diagnostics } = await failing("throw");
  expect(code).toBe(1);
  expect(times(diagnostics, "the sky fell down")).toBe(1);
  expect(diagnostics).toContain("index.js:8");
  expect(diagnostics).not.toContain("exited with code");
  expect(shown).not.toMatch(noise);
});

it("shows an error that is meant for the user without a stack trace", async () => {
  const { code, diagnostics } = await failing("throw-for-user");
  expect(code).toBe(1);
  expect(times(diagnostics, "the sky is closed on Sundays")).toBe(1);
  expect(diagnostics).not.toContain("index.js");
});

it("fails for a promise that nobody caught", async () => {
  const { code, shown, diagnostics } = await failing("reject");
  expect(code).toBe(1);
  expect(times(diagnostics, "the promise was broken")).toBe(1);
  expect(diagnostics).not.toContain("exited with code");
  expect(shown).not.toMatch(noise);
});

it("says the exit code of a program that gives no reason", async () => {
  const { code, shown, diagnostics } = await failing("exit");
  expect(code).toBe(1);
  expect(times(diagnostics, `the program in ${program} exited with code 3`)).toBe(1);
  expect(shown).not.toMatch(noise);
});

it("says which signal ended a program", async () => {
  const { code, diagnostics } = await failing("signal");
  expect(code).toBe(1);
  expect(times(diagnostics, `the program in ${program} was ended by a signal: killed`)).toBe(1);
});
