// Rows of the fault matrix, twenty seeds each: people change what is declared and what came of it while something goes wrong; then
// the faults end, and an observer that asks the API server directly looks at what came of it.
import {
  quiet,
  startCoordinatorFixture,
  writesWithin,
  type CoordinatorFixture,
  type Running,
} from "../../test/harness/coordinator";
import { componentOf, waitFor, type Component } from "../../test/harness/fault-proxy";
import { repeatable, testSeeds } from "../../test/harness/seed";
import { seededRandom, type Resource } from "../runtime";
import { CLUSTER_LABELS, REGISTRIES } from "./kinds";
import { SECRETS } from "./native-resources";
import {
  act,
  declareAll,
  prepareObjects,
  difference,
  FOREIGN,
  gone,
  PASSWORD,
  pick,
  storm,
  stormLeft,
  unlessGone,
  withdrawAll,
} from "./testing/declared-objects";
import { MIXED, MIXED_PLANS, ROWS, type Row, type FaultRun } from "./testing/fault-rows";

const CONTROLLERS = "service-accounts,registries,labels";
const ACTIONS = 25;
/** How soon after the last fault all is as declared. */
const CONVERGED_MS = 30_000;

let fixture: CoordinatorFixture;
let server: Component;
let etcd: Component;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
  server = componentOf(fixture.plane, "kube-apiserver");
  etcd = componentOf(fixture.plane, "etcd");
  await prepareObjects(fixture);
}, 240_000);
afterAll(async () => {
  server.end();
  etcd.end();
  await fixture.close();
});

async function run(number: string, row: Row, seed: number): Promise<void> {
  const random = seededRandom(seed * 7919 + Number(number));
  const { plan, dies = false, writers = 0 } = row;
  const { direct } = fixture;
  const theirs = await direct.get(SECRETS, FOREIGN);
  let died = false;
  const die = (): never => {
    died = true;
    throw new Error("died at the failpoint");
  };
  const failpoint = dies ? { failpoint: { write: 1 + Math.floor(random() * 12), die } } : {};
  let stuck: boolean;
  const running: Running[] = [];
  const start: FaultRun["start"] = async (options = {}) => {
    const one = await fixture.start({
      controllers: CONTROLLERS,
      ...(plan === undefined ? {} : { plan: plan(random) }),
      ...options,
    });
    running.push(one);
    return one;
  };
  const faultRun: FaultRun = { fixture, random, seed, server, etcd, running, start };
  await start({ ...failpoint, ...row.options?.(random) });
  try {
    await declareAll(fixture, seed);
    const after = await row.before?.(faultRun);
    for (let count = 0; count < ACTIONS; count++) {
      await act(fixture, random, seed);
      if (count % 10 === 9 && plan !== undefined) for (const { proxy } of running) proxy.cutAll();
      if (count === 12) await storm(fixture, writers, seed);
      if (count === 16) await row.strike?.(faultRun);
    }
    if (dies) {
      await waitFor("the death", () => died);
      await running.shift()?.stop();
      await start();
    }
    for (const { proxy } of running) proxy.plan = undefined;
    await after?.();
    let last = "";
    await waitFor(
      "all to be as declared",
      async () => (last = await difference(fixture)) === "",
      CONVERGED_MS,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)} What is not: ${last}.`);
    });
    // A watch that still waits for its next try looks at all again when it is back.
    await waitFor(
      "every watch to be well",
      () => running.every(({ coordinator }) => coordinator.manager.cache.degraded(-Infinity).length === 0),
      CONVERGED_MS,
    );
    // What was refused again and again is tried again some seconds after it would be answered.
    for (const one of running) await quiet(one, ["19", "38"].includes(number) ? 8000 : 1000);
    expect((await Promise.all(running.map((one) => writesWithin(one, 1500)))).flat()).toEqual([]);
    const left = await direct.get(SECRETS, FOREIGN);
    expect(left.metadata.resourceVersion).toBe(theirs.metadata.resourceVersion);
    if (writers > 0) expect(await stormLeft(fixture, seed)).toBe(writers);
    const lines = running.flatMap((one) => one.lines);
    expect(lines.filter((line) => line.includes(PASSWORD) || line.includes("This is a bug"))).toEqual([]);
    expect(Reflect.has({}, "polluted")).toBe(false);
  } catch (error) {
    // What went wrong may keep what was declared from going, too.
    const said = running.flatMap((one) => one.lines.slice(-8));
    throw new Error(`${String(error)}\n${said.join("\n")}`, { cause: error });
  } finally {
    for (const { proxy } of running) proxy.plan = undefined;
    await withdrawAll(fixture);
    const all: readonly Resource[] = [REGISTRIES, CLUSTER_LABELS];
    const goes = all.map((resource) =>
      waitFor(`${resource.kind} to go`, () => gone(fixture, resource, { name: "seed" }), CONVERGED_MS),
    );
    const left = (await Promise.allSettled(goes)).filter(({ status }) => status === "rejected");
    for (const one of running) await one.stop();
    // The next seed begins with nothing, whatever became of this one.
    for (const resource of left.length === 0 ? [] : all)
      await unlessGone(direct.patch(resource, { name: "seed" }, { metadata: { finalizers: null } }));
    stuck = left.length > 0;
  }
  if (stuck) throw new Error("What was declared did not go when it was taken back.");
}

/** Several of the others, one after another, and something wrong with the requests all the while. */
function mixed(seed: number): Row {
  const random = seededRandom(seed * 104_729);
  const plan = ROWS[pick(random, MIXED_PLANS)]?.plan;
  const strikes = [pick(random, MIXED), pick(random, MIXED), pick(random, MIXED)];
  return {
    what: "",
    ...(plan === undefined ? {} : { plan }),
    strike: async (run) => {
      for (const number of strikes) {
        await ROWS[number]?.strike?.(run);
        for (let count = 0; count < 5; count++) await act(fixture, run.random, seed);
      }
    },
  };
}

const rows = [
  ...Object.entries(ROWS).map(([row, { what }]) => ({ row, what })),
  { row: "38", what: "three other rows strike one after another, and a fourth all the while" },
];

describe.each(rows)("row $row: while $what", ({ row }) => {
  test.each(testSeeds(20))(
    "seed %i: afterwards all is as declared, at rest, and what is not ours untouched",
    (seed) =>
      repeatable(seed, __filename, () =>
        run(row, row === "38" ? mixed(seed) : (ROWS[row] ?? { what: "" }), seed),
      ),
  );
});
