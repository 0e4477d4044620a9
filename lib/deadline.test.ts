import { waitFor } from "./deadline";

const wait = { timeoutMs: 60, intervalMs: 5 };

test("waits until the probe says true", async () => {
  let looks = 0;
  await waitFor("three looks", () => ++looks === 3, wait);
  expect(looks).toBe(3);
});

test.each<[string, () => boolean | string, string]>([
  ["what it waited for", () => false, "Waited 0.06 s for the moon."],
  ["what it saw last", () => "half a moon", "Waited 0.06 s for the moon. Last seen: half a moon"],
  ["what went wrong last", fail, "Waited 0.06 s for the moon. Last seen: clouds"],
])("at the deadline it says %s", async (_, probe, message) => {
  await expect(waitFor("the moon", () => probe() as false, wait)).rejects.toThrow(new Error(message));
});

test("ends with the reason of the signal, long before the deadline", async () => {
  const control = new AbortController();
  const waiting = waitFor("ever", () => false, { timeoutMs: 60_000, intervalMs: 5, signal: control.signal });
  control.abort(new Error("etcd is dead"));
  await expect(waiting).rejects.toThrow("etcd is dead");
});

function fail(): never {
  throw new Error("clouds");
}
