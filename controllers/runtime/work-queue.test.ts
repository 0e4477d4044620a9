import { repeatable, testSeeds } from "../../test/harness/seed";
import { seededRandom } from "./backoff";
import { FakeClock } from "./testing/fake-clock";
import { WorkQueue } from "./work-queue";

const forever = new AbortController().signal;

function make(): { clock: FakeClock; queue: WorkQueue } {
  const clock = new FakeClock();
  return {
    clock,
    queue: new WorkQueue({ clock, random: seededRandom(1), backoff: { baseMs: 100, capMs: 1000 } }),
  };
}

test("a key that is added many times is handed out once", async () => {
  const { queue } = make();
  for (let count = 0; count < 5; count++) queue.add("a");
  queue.add("b");
  expect(await queue.take(forever)).toBe("a");
  expect(await queue.take(forever)).toBe("b");
  expect(queue.depth).toBe(0);
});

test("a key that is added while it is worked on comes again afterwards, not before", async () => {
  const { queue } = make();
  queue.add("a");
  await queue.take(forever);
  queue.add("a");
  expect(queue.depth).toBe(0);
  queue.done("a");
  expect(await queue.take(forever)).toBe("a");
});

test("of several times the earliest counts, and an add for now takes their place", async () => {
  const { clock, queue } = make();
  queue.addAfter("a", 1000);
  queue.addAfter("a", 200);
  queue.addAfter("a", 5000);
  await clock.advance(199);
  expect(queue.depth).toBe(0);
  await clock.advance(1);
  expect(await queue.take(forever)).toBe("a");
  queue.done("a");
  queue.addAfter("a", 100);
  queue.add("a");
  expect(await queue.take(forever)).toBe("a");
  queue.done("a");
  await clock.advance(10_000);
  expect([queue.depth, queue.delayed]).toEqual([0, 0]);
});

test("the wait after failures grows up to its bound, and begins anew once the key did well", () => {
  const { queue } = make();
  const bounds = [100, 200, 400, 800, 1000, 1000];
  for (const bound of bounds) {
    const wait = queue.addAfterFailure("a");
    expect(wait).toBeGreaterThanOrEqual(bound / 2);
    expect(wait).toBeLessThanOrEqual(bound);
  }
  queue.forget("a");
  expect(queue.addAfterFailure("a")).toBeLessThanOrEqual(100);
});

test("a failure with Retry-After waits at least that long", () => {
  expect(make().queue.addAfterFailure("a", 7000)).toBe(7000);
});

test("a worker that waits for a key stops waiting when aborted", async () => {
  const { queue } = make();
  const leave = new AbortController();
  const taken = queue.take(leave.signal);
  leave.abort();
  expect(await taken).toBeUndefined();
  queue.add("a");
  expect(await queue.take(forever)).toBe("a");
});

test.each(testSeeds(100))("no key is ever dropped, and none is with two workers: seed %i", (seed) =>
  repeatable(seed, __filename, async () => {
    const random = seededRandom(seed);
    const clock = new FakeClock();
    const queue = new WorkQueue({ clock, random, backoff: { baseMs: 10, capMs: 200 } });
    const stop = new AbortController();
    // What each key should be seen to be, and what a worker last saw: level-based, like a reconcile.
    const wanted = new Map<string, number>();
    const seen = new Map<string, number>();
    const busy = new Set<string>();
    const worker = async (): Promise<void> => {
      for (let key = await queue.take(stop.signal); key !== undefined; key = await queue.take(stop.signal)) {
        if (busy.has(key)) throw new Error(`${key} is with two workers`);
        busy.add(key);
        const saw = wanted.get(key) ?? 0;
        await new Promise<void>((resolve) => clock.schedule(Math.floor(random() * 30), resolve));
        busy.delete(key);
        const dice = random();
        if (dice < 0.3) queue.addAfterFailure(key);
        else {
          seen.set(key, saw);
          queue.forget(key);
          if (dice < 0.4) queue.addAfter(key, Math.floor(random() * 100));
        }
        queue.done(key);
      }
    };
    const workers = Array.from({ length: 3 }, worker);
    for (let step = 0; step < 120; step++) {
      const key = `key-${Math.floor(random() * 5)}`;
      wanted.set(key, step);
      if (random() < 0.7) queue.add(key);
      else queue.addAfter(key, Math.floor(random() * 50));
      if (random() < 0.5) await clock.advance(Math.floor(random() * 20));
    }
    await clock.advance(20_000);
    stop.abort();
    await Promise.all(workers);
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(wanted));
  }),
);

/** A queue of keys `cluster/name`. */
function grouped(inFlight = 2): { clock: FakeClock; queue: WorkQueue } {
  const clock = new FakeClock();
  const of = (key: string): string => key.split("/", 1)[0] ?? "";
  const groups = { of, inFlight, breaker: { baseMs: 1000, capMs: 4000 } };
  return { clock, queue: new WorkQueue({ clock, random: seededRandom(1), groups }) };
}

test("groups take turns, however many keys one of them has", async () => {
  const { queue } = grouped(100);
  for (let count = 0; count < 50; count++) queue.add(`busy/${count}`);
  queue.add("quiet/0");
  queue.add("calm/0");
  const order = [];
  for (let count = 0; count < 4; count++) order.push(await queue.take(forever));
  expect(order).toEqual(["busy/0", "quiet/0", "calm/0", "busy/1"]);
});

test("a group that hangs holds no more workers than its share", async () => {
  const { queue } = grouped(2);
  for (let count = 0; count < 5; count++) queue.add(`hung/${count}`);
  expect([await queue.take(forever), await queue.take(forever)]).toEqual(["hung/0", "hung/1"]);
  const next = queue.take(forever);
  queue.add("well/0");
  expect(await next).toBe("well/0");
  const third = queue.take(forever);
  queue.done("hung/0");
  expect(await third).toBe("hung/2");
  expect(queue.depth).toBe(2);
});

test("after five failures a group is left alone, then tried with one key, and is whole again when that does well", async () => {
  const { clock, queue } = grouped(3);
  for (let count = 0; count < 9; count++) queue.add(`down/${count}`);
  for (let count = 0; count < 5; count++) {
    const key = await queue.take(forever);
    queue.failed(key ?? "");
    queue.done(key ?? "");
  }
  expect(queue.tripped).toEqual(["down"]);
  let handed: string | undefined;
  const probe = queue.take(forever).then((key) => (handed = key));
  queue.add("up/0");
  await probe;
  expect(handed).toBe("up/0");
  const first = queue.take(forever);
  let second: string | undefined;
  void queue.take(forever).then((key) => (second = key));
  await clock.advance(1000);
  expect(await first).toBe("down/5");
  expect(second).toBeUndefined();
  queue.answered("down/5");
  queue.done("down/5");
  await clock.advance(0);
  expect(second).toBe("down/6");
  expect(queue.tripped).toEqual([]);
});

test("without groups, failures leave nobody waiting", async () => {
  const { queue } = make();
  for (let count = 0; count < 10; count++) {
    queue.add("a");
    expect(await queue.take(forever)).toBe("a");
    queue.failed("a");
    queue.done("a");
  }
});
