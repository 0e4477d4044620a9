import { FakeClock } from "../runtime/testing/fake-clock";
import { DriftRecord } from "./drift";

test("the first change is taken back at once, each further one waits twice as long, up to half an hour", async () => {
  const clock = new FakeClock();
  const drift = new DriftRecord(clock);
  const waits: number[] = [];
  for (let count = 0; count < 8; count++) {
    waits.push(drift.waitMs("a") / 60_000);
    await clock.advance(drift.waitMs("a"));
    drift.healed("a", ["kubectl"], [".spec.replicas"]);
  }
  expect(waits).toEqual([0, 1, 2, 4, 8, 16, 30, 30]);
  expect(drift.waitMs("b")).toBe(0);
});

test("after a quiet hour a fight is forgotten", async () => {
  const clock = new FakeClock();
  const drift = new DriftRecord(clock);
  drift.healed("a", ["kubectl"], []);
  expect(drift.current("a")?.managers).toEqual(["kubectl"]);
  await clock.advance(drift.quietInMs("a") ?? 0);
  expect([drift.current("a"), drift.waitMs("a"), drift.quietInMs("a")]).toEqual([undefined, 0, undefined]);
});
