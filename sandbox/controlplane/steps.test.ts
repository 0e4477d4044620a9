import { inStep, type Step } from "./steps";

test.each<[string, () => Promise<string>, Step["state"]]>([
  ["that is done", async () => "done", "finished"],
  ["that fails", async () => Promise.reject(new Error("no")), "failed"],
])("a step %s is told when it begins and when it ends", async (_, work, end) => {
  const told: Step[] = [];
  const outcome = await inStep((step) => told.push(step), "etcd", work).then(String, String);
  expect(outcome).toBe(end === "finished" ? "done" : "Error: no");
  expect(told.map(({ name, state }) => [name, state])).toEqual([
    ["etcd", "started"],
    ["etcd", end],
  ]);
  for (const { elapsedMs } of told) expect(elapsedMs).toBeGreaterThanOrEqual(0);
});
