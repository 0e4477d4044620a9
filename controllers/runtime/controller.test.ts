import { aborted } from "./clock";
import { Controller, type Reconcile } from "./controller";
import { FakeClock } from "./testing/fake-clock";
import { Metrics } from "./metrics";

function start(
  reconcile: Reconcile,
  concurrency = 2,
): { clock: FakeClock; controller: Controller; metrics: Metrics; stop: () => Promise<void> } {
  const clock = new FakeClock();
  const metrics = new Metrics();
  const controller = new Controller({
    name: "test",
    reconcile,
    concurrency,
    deadlineMs: 1000,
    clock,
    metrics,
    backoff: { baseMs: 10, capMs: 100 },
  });
  const end = new AbortController();
  const run = controller.run(end.signal);
  return {
    clock,
    controller,
    metrics,
    stop: () => {
      end.abort();
      return run;
    },
  };
}

test("a key comes again when the reconcile says so", async () => {
  let calls = 0;
  const { clock, controller, stop } = start(async () =>
    ++calls === 1 ? { requeueAfterMs: 5000 } : undefined,
  );
  controller.queue.add("a");
  await clock.advance(4999);
  expect(calls).toBe(1);
  await clock.advance(1);
  expect(calls).toBe(2);
  await stop();
});

test.each([
  ["an Error", () => Promise.reject(new Error("no"))],
  ["a string", () => Promise.reject("no")], // eslint-disable-line @typescript-eslint/prefer-promise-reject-errors
  ["undefined", () => Promise.reject(undefined)], // eslint-disable-line @typescript-eslint/prefer-promise-reject-errors
  [
    "an Error without a promise",
    () => {
      throw new Error("no");
    },
  ],
])("a reconcile that throws %s is tried again and harms no other key", async (_what, fail) => {
  const calls = { bad: 0, good: 0 };
  const { clock, controller, metrics, stop } = start(async (key) => {
    if (key === "good") calls.good += 1;
    else if (++calls.bad < 4) return fail();
    return undefined;
  });
  controller.queue.add("bad");
  controller.queue.add("good");
  await clock.advance(2000);
  expect(calls).toEqual({ bad: 4, good: 1 });
  expect(await metrics.reconciles.value({ controller: "test", result: "error" })).toBe(3);
  await stop();
});

test("a reconcile that hangs is aborted at its deadline and keeps its key, not its worker", async () => {
  let hanging = 0;
  let aborted = false;
  let release: () => void = () => {};
  const seen: string[] = [];
  const { clock, controller, stop } = start(async (key, { signal }) => {
    seen.push(key);
    if (key !== "hangs" || hanging++ > 0) return undefined;
    signal.addEventListener("abort", () => (aborted = true));
    await new Promise<void>((resolve) => (release = resolve));
    return undefined;
  }, 1);
  controller.queue.add("hangs");
  controller.queue.add("other");
  await clock.advance(500);
  expect(seen).toEqual(["hangs"]);
  await clock.advance(600);
  expect(aborted).toBe(true);
  expect(seen).toEqual(["hangs", "other"]);
  controller.queue.add("hangs");
  await clock.advance(100);
  expect(seen).toEqual(["hangs", "other"]);
  release();
  await clock.advance(100);
  expect(seen).toEqual(["hangs", "other", "hangs"]);
  await stop();
});

test("a controller that was stopped and runs again works on what came meanwhile", async () => {
  let reconciled: (key: string) => void = () => {};
  const key = new Promise<string>((resolve) => (reconciled = resolve));
  const controller = new Controller({
    name: "test",
    reconcile: async (found) => {
      reconciled(found);
      return undefined;
    },
  });
  const first = new AbortController();
  const run = controller.run(first.signal);
  first.abort();
  await run;
  controller.queue.add("later");
  const second = new AbortController();
  const again = controller.run(second.signal);
  expect(await key).toBe("later");
  second.abort();
  await again;
});

test.each([
  ["fails", () => Promise.reject(new Error("given up"))],
  ["takes the end for an answer", () => Promise.resolve(undefined)],
  ["asks to come again", () => Promise.resolve({ requeueAfterMs: 60_000 })],
])(
  "a key in work at the end of a reign is worked on in the next, if the reconcile then %s",
  async (_what, end) => {
    const clock = new FakeClock();
    const controller = new Controller({
      name: "test",
      clock,
      reconcile: async (key, { signal }) => {
        calls.push(key);
        if (calls.length > 1) return undefined;
        began();
        await aborted(signal);
        return end();
      },
    });
    const calls: string[] = [];
    let began: () => void = () => {};
    const begun = new Promise<void>((resolve) => (began = resolve));
    const first = new AbortController();
    const run = controller.run(first.signal);
    controller.queue.add("a");
    await begun;
    first.abort();
    await run;
    expect(calls).toEqual(["a"]);
    const second = new AbortController();
    const again = controller.run(second.signal);
    await clock.advance(0);
    expect(calls).toEqual(["a", "a"]);
    second.abort();
    await again;
  },
);

test("a key that is handed out just as the end comes is kept for the next reign", async () => {
  const clock = new FakeClock();
  const calls: string[] = [];
  const controller = new Controller({
    name: "test",
    clock,
    reconcile: async (key) => {
      calls.push(key);
      return undefined;
    },
  });
  const first = new AbortController();
  const run = controller.run(first.signal);
  await clock.advance(0);
  controller.queue.add("a");
  first.abort();
  await run;
  expect(calls).toEqual([]);
  const second = new AbortController();
  const again = controller.run(second.signal);
  await clock.advance(0);
  expect(calls).toEqual(["a"]);
  second.abort();
  await again;
});

test("a time of the wall clock is looked at every minute, so that a clock that is set right is noticed", async () => {
  let due = 0;
  const seen: number[] = [];
  const { clock, controller, stop } = start(async (_key, { clock: now }) => {
    seen.push(now.now());
    return now.now() < due ? { requeueAt: due } : undefined;
  });
  const began = clock.now();
  due = began + 24 * 3_600_000;
  controller.queue.add("a");
  await clock.advance(59_999);
  expect(seen).toHaveLength(1);
  clock.setWall(due);
  await clock.advance(1);
  expect(seen).toHaveLength(2);
  await clock.advance(3_600_000);
  expect(seen).toHaveLength(2);
  await stop();
});

test("of a time and a wait the earlier counts, and what is due already does not come at once", async () => {
  const results = [
    { requeueAfterMs: 5000, requeueAt: 0 },
    { requeueAfterMs: 100, requeueAt: 1e15 },
    undefined,
  ];
  let calls = 0;
  const { clock, controller, stop } = start(async () => results[calls++]);
  controller.queue.add("a");
  await clock.advance(499);
  expect(calls).toBe(1);
  await clock.advance(1);
  expect(calls).toBe(2);
  await clock.advance(100);
  expect(calls).toBe(3);
  await stop();
});
