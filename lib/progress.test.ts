import { countSteps, elapsed, lineProgress, type Progress, streamProgress } from "./progress";

function recorded(isTTY: boolean): { text: () => string; progress: Progress } {
  let text = "";
  const progress = streamProgress({ isTTY, columns: 60, write: (more) => (text += more) });
  return { progress, text: () => text };
}

const after = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test.each([
  [1_234, "1.2 s"],
  [42_900, "42 s"],
  [185_000, "3m05s"],
])("%d ms are %s", (milliseconds, text) => expect(elapsed(milliseconds)).toBe(text));

test("a short step is one line in a log", async () => {
  const { progress, text } = recorded(false);
  await progress.step("etcd", async () => "ready");
  expect(text()).toMatch(/^ ✓ etcd +0\.0 s\n$/);
});

test("a step that fails is marked and its error goes on", async () => {
  const { progress, text } = recorded(false);
  await expect(progress.step("etcd", () => Promise.reject(new Error("no room")))).rejects.toThrow("no room");
  expect(text()).toMatch(/^ ✗ etcd +0\.0 s\n$/);
});

test("a log is never silent for ten seconds while steps run, side by side", async () => {
  const times: number[] = [Date.now()];
  const lines: string[] = [];
  const progress = streamProgress({
    write: (line) => {
      times.push(Date.now());
      lines.push(line);
    },
  });
  const long = progress.step("provider", async (update) => {
    update("building");
    await after(65_000);
  });
  const short = progress.step("image", () => after(31_000));
  await jest.advanceTimersByTimeAsync(66_000);
  await Promise.all([long, short]);
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.max(...pauses)).toBeLessThan(10_000);
  expect(lines).toContainEqual(expect.stringMatching(/^ • provider: building … \d+ s; image … \d+ s\n$/));
  expect(lines.filter((line) => line.startsWith(" ✓ image"))).toHaveLength(1);
});

test("a terminal shows every running step on a line of its own, cut to its width", async () => {
  const { progress, text } = recorded(true);
  const one = progress.step("provider", async (update) => {
    update("x".repeat(100));
    await after(3_000);
  });
  const other = progress.step("image", () => after(1_500));
  await jest.advanceTimersByTimeAsync(1_000);
  const last = text().split("\u001b[2K").at(-1) ?? "";
  expect(last.split("\n").map((line) => line.slice(0, 12))).toEqual([" • provider:", " • image … 1"]);
  expect(Math.max(...last.split("\n").map((line) => line.length))).toBe(59);
  await jest.advanceTimersByTimeAsync(3_000);
  await Promise.all([one, other]);
  expect(text()).toMatch(/ ✓ image +1\.5 s\n[^]* ✓ provider \(x+\) +3\.0 s\n$/);
});

test("steps of several parts are counted together", async () => {
  const { progress, text } = recorded(false);
  const counted = countSteps(progress, 3);
  await counted.step("etcd 3.6.5 (1 of 2)", async () => {});
  await counted.step("machine image", async () => {});
  await counted.step("kubectl 1.35.4 (2 of 2)", async () => {});
  expect(text().match(/\S.*?\(\d of \d\)/g)).toEqual([
    "✓ etcd 3.6.5 (1 of 3)",
    "✓ machine image (2 of 3)",
    "✓ kubectl 1.35.4 (3 of 3)",
  ]);
});

test("the log of a process has a line for each detail and each end", async () => {
  const lines: string[] = [];
  await lineProgress((line) => lines.push(line)).step("moto", async (update) => update("starting"));
  expect(lines).toEqual(["moto: starting", "moto (0.0 s)"]);
});
