import type { NodeUpgradeStatus } from "../../../api";
import { Stopwatch } from "./stopwatch";

const entry = (more: Partial<NodeUpgradeStatus> = {}): NodeUpgradeStatus => ({
  name: "a",
  phase: "Draining",
  startedAt: "2026-01-01T12:00:00.000Z",
  phaseStartedAt: "2026-01-01T12:00:00.000Z",
  ...more,
});

describe("the time in work", () => {
  let now = 0;
  const stopwatch = (): Stopwatch => new Stopwatch(() => now);
  beforeEach(() => (now = 5_000_000));

  test("counts from the first look, whatever dates status has", () => {
    const watch = stopwatch();
    expect(watch.elapsed("u", entry({ startedAt: "1999-01-01T00:00:00.000Z" }))).toEqual({
      work: 0,
      phase: 0,
    });
    now += 90_000;
    expect(watch.elapsed("u", entry({ startedAt: "1999-01-01T00:00:00.000Z" }))).toEqual({
      work: 90,
      phase: 90,
    });
  });

  test("goes on under the next leader from what status says, and is not counted twice when that is written", () => {
    const first = stopwatch();
    first.elapsed("u", entry());
    now += 60_000;
    const { work } = first.elapsed("u", entry());
    const second = stopwatch();
    const written = entry({ secondsInWork: work, secondsInPhase: work });
    expect(second.elapsed("u", written)).toEqual({ work: 60, phase: 60 });
    now += 30_000;
    expect(second.elapsed("u", written).work).toBe(90);
    expect(first.elapsed("u", entry({ secondsInWork: 90, secondsInPhase: 90 })).work).toBe(90);
  });

  test("begins anew with a phase, for the phase alone", () => {
    const watch = stopwatch();
    watch.elapsed("u", entry());
    now += 60_000;
    const next = entry({ phase: "Upgrading", phaseStartedAt: "2026-01-01T12:01:00.000Z", secondsInPhase: 0 });
    expect(watch.elapsed("u", next)).toEqual({ work: 60, phase: 0 });
  });

  test("is another one for another upgrade, and for a second turn in the same", () => {
    const watch = stopwatch();
    watch.elapsed("u", entry());
    now += 60_000;
    expect(watch.elapsed("v", entry()).work).toBe(0);
    expect(watch.elapsed("u", entry({ startedAt: "2026-01-01T12:01:00.000Z" })).work).toBe(0);
  });

  test("is forgotten with the entry", () => {
    const watch = stopwatch();
    watch.elapsed("u", entry());
    watch.keepOnly("u", []);
    now += 60_000;
    expect(watch.elapsed("u", entry()).work).toBe(0);
  });
});
