import { Recorder, type ApiClient, type KubernetesObject, type Resource } from ".";
import { Metrics } from "./metrics";
import { ObjectBudget } from "./object-budget";
import { FakeClock } from "./testing/fake-clock";

const MAPS: Resource = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};
const object = (name: string): KubernetesObject => ({ metadata: { namespace: "x", name, uid: name } });
const occurrence = (note: string) => ({ type: "Warning", reason: "R", action: "A", note }) as const;

/** Takes the writes of a recorder instead of a server, which would have nothing to say about when they come. */
function recording(options: object = {}): {
  clock: FakeClock;
  recorder: Recorder;
  writes: { verb: string; note?: string; count?: number }[];
} {
  const clock = new FakeClock();
  const writes: { verb: string; note?: string; count?: number }[] = [];
  const client = {
    clock,
    metrics: new Metrics(),
    limitedBy: () => client,
    create: (_: unknown, { note }: { note: string }) => {
      writes.push({ verb: "create", note });
      return Promise.resolve({});
    },
    patch: (_: unknown, __: unknown, { series }: { series: { count: number } }) => {
      writes.push({ verb: "patch", count: series.count });
      return Promise.resolve({});
    },
  };
  const recorder = new Recorder(client as unknown as ApiClient, {
    controller: "fleetwright.dev/test",
    instance: "test",
    ...options,
  });
  return { clock, recorder, writes };
}

test("what differs only in its note is counted together after the first few", async () => {
  const { clock, recorder, writes } = recording({ maxNotes: 3 });
  for (let round = 0; round < 100; round++) recorder.record(MAPS, object("a"), occurrence(`n${round}`));
  await clock.advance(0);
  expect(writes.map(({ note }) => note)).toEqual(["n0", "n1", "n2", "(combined from similar events) n3"]);
  recorder.record(MAPS, object("a"), occurrence("n1"));
  await clock.advance(10_000);
  expect(writes.slice(4).map(({ count }) => count)).toEqual(expect.arrayContaining([97, 2]));
});

test("an object has 25 writes and then one in five minutes, and no count is lost", async () => {
  const { clock, recorder, writes } = recording();
  for (let second = 0; second < 3600; second++) {
    recorder.record(MAPS, object("a"), occurrence("n"));
    await clock.advance(1000);
  }
  expect(writes.length).toBeGreaterThanOrEqual(25);
  expect(writes.length).toBeLessThanOrEqual(25 + 3600 / 300);
  await clock.advance(600_000);
  expect(writes.at(-1)?.count).toBe(3600);
});

test("one object's flood takes nothing from another", async () => {
  const { clock, recorder, writes } = recording();
  for (let round = 0; round < 1000; round++) recorder.record(MAPS, object("a"), occurrence(`n${round}`));
  recorder.record(MAPS, object("b"), occurrence("of b"));
  await clock.advance(0);
  expect(writes.map(({ note }) => note)).toContain("of b");
});

test("writes that wait are bounded", async () => {
  const { clock, recorder, writes } = recording({ maxPending: 5 });
  for (let round = 0; round < 100; round++) recorder.record(MAPS, object(`o${round}`), occurrence("n"));
  await clock.advance(0);
  // One was under way already.
  expect(writes.length).toBeLessThanOrEqual(6);
});

test("a budget forgets who was quiet for longest", () => {
  const budget = new ObjectBudget({ burst: 1, refillMs: 1000, maxKeys: 2 }, new FakeClock());
  expect(["a", "a", "b", "c", "b", "a"].map((key) => budget.take(key))).toEqual([
    true,
    false,
    true,
    true,
    false,
    true,
  ]);
  expect(budget.waitMs("a")).toBe(1000);
});
