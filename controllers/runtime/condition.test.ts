import { isTrue, setCondition } from "./condition";

const at = (seconds: number): number => Date.UTC(2026, 0, 1, 0, 0, seconds);
const ready = {
  type: "Ready",
  status: "True",
  reason: "Done",
  message: "all is well",
  observedGeneration: 1,
} as const;

test("the time moves with the status and with nothing else", () => {
  const first = setCondition(undefined, ready, at(0));
  const reason = setCondition(first, { ...ready, reason: "StillDone" }, at(10));
  const status = setCondition(reason, { ...ready, status: "False" }, at(20));
  expect([first, reason, status].map(([found]) => found?.lastTransitionTime)).toEqual([
    "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:20Z",
  ]);
  expect([isTrue(first, "Ready"), isTrue(status, "Ready"), isTrue(undefined, "Ready")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("nothing new gives the very same array; others are left alone", () => {
  const other = { ...ready, type: "Other", lastTransitionTime: "2020-01-01T00:00:00Z" };
  const first = setCondition([other], ready, at(0));
  expect(setCondition(first, ready, at(50))).toBe(first);
  expect(setCondition(first, { ...ready, observedGeneration: 2 }, at(50))[0]).toBe(other);
});
