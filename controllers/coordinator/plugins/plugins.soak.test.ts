import {
  applyAll,
  catalogueFile,
  crashAtEveryWrite,
  find,
  PluginProbe,
  startCoordinatorFixture,
  tracesOf,
  type AnyObject,
  type CoordinatorFixture,
  type Running,
  type StartOptions,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { CONFIG_MAPS } from "../native-resources";
import { pluginsWith } from "./controller";

const NS = "fleetwright-plugins";
const start: StartOptions = {
  controllers: "plugins",
  definitions: [pluginsWith({ pace: { restMs: 2000, blockedMs: 1000, busyMs: 100 } })],
};
let fixture: CoordinatorFixture;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ nodes: 1 });
  await applyAll(fixture.direct, await catalogueFile("role.yaml"));
}, 240_000);
afterAll(() => fixture.close());

/** The bundled sample: a definition and an object of it, jobs before and after, and something that runs. */
async function sample(): Promise<{ spec: object; inline: AnyObject[] }> {
  const [plugin] = await catalogueFile("sample.yaml");
  const { source, jobs, ...spec } = plugin?.spec as {
    source: { inline: AnyObject[] };
    jobs: Record<string, object[]>;
  };
  const own = Object.fromEntries(
    Object.entries(jobs).map(([when, list]) => [
      when,
      list.map((job) => ({ ...job, serviceAccountName: "default" })),
    ]),
  );
  return { spec: { ...spec, source, jobs: own }, inline: source.inline };
}

/** Runs a coordinator that lives, until something is done. */
async function helped(work: () => Promise<unknown>): Promise<void> {
  const helper: Running = await fixture.start(start);
  await work();
  await helper.stop();
}

async function removed(plugin: PluginProbe): Promise<void> {
  await plugin.delete();
  await plugin.gone();
  await waitFor("all to go", async () => (await tracesOf(fixture.direct, plugin.name)).length === 0);
}

/** How many Jobs a plugin ever had: none may run twice for one version. */
async function jobRuns(plugin: PluginProbe): Promise<string[]> {
  return ((await plugin.get())?.status?.jobs ?? []).map(
    ({ name, attempt, outcome }) => `${name} ${attempt} ${outcome}`,
  );
}

test("whenever it dies while it installs, with jobs and a definition, the next one gets there", async () => {
  const { spec } = await sample();
  const plugin = new PluginProbe(fixture.direct, "sample");
  const deaths = await crashAtEveryWrite(fixture, start, {
    arrange: () => plugin.create(spec),
    converged: async () => {
      await plugin.ready();
    },
    restore: async () => {
      expect(await jobRuns(plugin)).toEqual(["check 1 Succeeded", "greet 1 Succeeded"]);
      await removed(plugin);
    },
  });
  expect(deaths).toBeGreaterThanOrEqual(14);
}, 900_000);

test("whenever it dies while it upgrades and prunes, the next one gets there", async () => {
  const { spec, inline } = await sample();
  const plugin = new PluginProbe(fixture.direct, "sample");
  const deaths = await crashAtEveryWrite(fixture, start, {
    arrange: async () => {
      await plugin.create(spec);
      await helped(() => plugin.ready());
      const kept = inline.filter(({ kind }) => !["CustomResourceDefinition", "Greeting"].includes(kind));
      await plugin.patch({ version: "2.0.0", source: { inline: kept }, values: { place: "elsewhere" } });
    },
    converged: async () => {
      expect((await plugin.ready()).status?.version).toBe("2.0.0");
    },
    restore: async () => {
      expect(
        (await find(fixture.direct, CONFIG_MAPS, { namespace: NS, name: "sample" }))?.data?.greeting,
      ).toBe("Hello from elsewhere");
      expect(
        (await tracesOf(fixture.direct, "sample")).filter((trace) => trace.includes("greetings")),
      ).toEqual([]);
      await removed(plugin);
    },
  });
  expect(deaths).toBeGreaterThanOrEqual(10);
}, 900_000);

test("whenever it dies while it removes, the next one leaves nothing behind", async () => {
  const { spec } = await sample();
  const plugin = new PluginProbe(fixture.direct, "sample");
  const deaths = await crashAtEveryWrite(fixture, start, {
    arrange: async () => {
      await plugin.create(spec);
      await helped(() => plugin.ready());
      await plugin.delete();
    },
    converged: () => plugin.gone(),
    restore: () => removed(plugin),
  });
  expect(deaths).toBeGreaterThanOrEqual(8);
}, 900_000);
