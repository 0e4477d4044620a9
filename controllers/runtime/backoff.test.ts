import { Backoff, backoffBound, seededRandom } from "./backoff";

test.each([
  [0, 100],
  [1, 200],
  [3, 800],
  [4, 1000],
  [5000, 1000],
])("after %i failures the wait is at most %i ms", (failures, bound) => {
  expect(backoffBound(failures, 100, 1000)).toBe(bound);
});

test("waits are spread from zero to the bound and begin anew after a success", () => {
  const backoff = new Backoff({ baseMs: 100, capMs: 1000, random: () => 0.5 });
  expect([backoff.next(), backoff.next(), backoff.next()]).toEqual([50, 100, 200]);
  backoff.reset();
  expect(backoff.next()).toBe(50);
});

test("it never gives up", () => {
  const backoff = new Backoff({ random: () => 0.999 });
  for (let count = 0; count < 10_000; count++) expect(backoff.next()).toBeLessThanOrEqual(30_000);
});

test("a seed gives the same numbers again, in [0, 1)", () => {
  const draw = (seed: number): number[] => Array.from({ length: 100 }, seededRandom(seed));
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  expect(draw(7).every((value) => value >= 0 && value < 1)).toBe(true);
});
