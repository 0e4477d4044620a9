import { ApiError, ConnectionError } from "./api-error";
import { Breaker, isOutage } from "./breaker";
import { FakeClock } from "./testing/fake-clock";

test("it opens after five failures in a row, longer each time, and closes with the first answer", async () => {
  const clock = new FakeClock();
  const breaker = new Breaker({ clock, random: () => 1, baseMs: 1000, capMs: 4000 });
  for (let count = 0; count < 4; count++) breaker.failed();
  breaker.answered();
  for (let count = 0; count < 4; count++) breaker.failed();
  expect([breaker.isTripped, breaker.waitMs]).toEqual([false, 0]);
  const waits: number[] = [];
  for (let count = 0; count < 4; count++) {
    breaker.failed();
    waits.push(breaker.waitMs);
  }
  expect(waits).toEqual([1000, 2000, 4000, 4000]);
  await clock.advance(4000);
  expect([breaker.isTripped, breaker.waitMs]).toEqual([true, 0]);
  breaker.answered();
  expect(breaker.isTripped).toBe(false);
});

test.each([
  [new ConnectionError("no answer", "ETIMEDOUT"), true],
  [new ApiError("GET /", 503), true],
  [new ApiError("GET /", 403), false],
  [new ApiError("GET /", 429), false],
  [new Error("a bug"), false],
])("%s is an outage: %s", (error, expected) => {
  expect(isOutage(error)).toBe(expected);
});
