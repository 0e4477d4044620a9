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
