import { FakeClock } from "./testing/fake-clock";
import { RateLimiter } from "./rate-limiter";

test("a burst passes at once, then turns come at the given rate and in order", async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ perSecond: 10, burst: 2 }, clock);
  const passed: number[] = [];
  for (let index = 0; index < 5; index++) void limiter.take().then(() => passed.push(index));
  await clock.advance(0);
  expect(passed).toEqual([0, 1]);
  await clock.advance(100);
  expect(passed).toEqual([0, 1, 2]);
  await clock.advance(200);
  expect(passed).toEqual([0, 1, 2, 3, 4]);
});

test("nobody passes during a pause, and a shorter pause does not end a longer one", async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({}, clock);
  limiter.pause(5000);
  limiter.pause(10);
  let passed = false;
  void limiter.take().then(() => (passed = true));
  await clock.advance(4999);
  expect(passed).toBe(false);
  await clock.advance(2);
  expect(passed).toBe(true);
});

test("who gives up does not wait", async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({}, clock);
  limiter.pause(1e9);
  const stop = new AbortController();
  const turn = limiter.take(stop.signal);
  stop.abort(new Error("enough"));
  await expect(turn).rejects.toThrow("enough");
});
