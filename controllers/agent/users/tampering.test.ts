import { FakeClock } from "../../runtime/testing/fake-clock";
import { delayAfter, Tampering } from "./tampering";

test.each([
  [5, 250],
  [6, 500],
  [9, 4000],
  [10, 5000],
  [1000, 5000],
])("after %i restorations the next waits %i ms", (count, ms) => {
  expect(delayAfter(count)).toBe(ms);
});

test("a login is looked at as soon as it is touched, until it has been restored too often", async () => {
  const clock = new FakeClock();
  const looks: string[] = [];
  const tampering = new Tampering(clock, (login) => looks.push(login));
  for (let round = 0; round < 5; round++) {
    tampering.touched("eve");
    tampering.undone("eve");
  }
  expect(looks).toHaveLength(5);
  for (let round = 0; round < 100; round++) tampering.touched("eve");
  tampering.touched("ada");
  expect(looks).toEqual(["eve", "eve", "eve", "eve", "eve", "ada"]);
  await clock.advance(250);
  expect(looks).toHaveLength(7);
  await clock.advance(60_000);
  tampering.touched("eve");
  expect(looks).toHaveLength(8);
});

test("one who is gone is not looked at any more", async () => {
  const clock = new FakeClock();
  const looks: string[] = [];
  const tampering = new Tampering(clock, (login) => looks.push(login));
  for (let round = 0; round < 5; round++) tampering.undone("eve");
  tampering.touched("eve");
  tampering.keep(new Set(["ada"]));
  await clock.advance(10_000);
  expect(looks).toEqual([]);
});
