import { writeFile } from "node:fs/promises";
import path from "node:path";
import { Replicas, startCoordinatorFixture, type CoordinatorFixture } from "../../test/harness/coordinator";
import { waitFor } from "../../test/harness/fault-proxy";
import { CLUSTER_LABELS } from "./kinds";
import { NODES } from "./native-resources";

// Longer than the heir waits for a lease that is not renewed, with its looks at it.
const HANG_MS = 30_000;
let fixture: CoordinatorFixture;
let replicas: Replicas;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
  replicas = await Replicas.prepare(fixture);
  await fixture.direct.create(NODES, { metadata: { name: "node" } });
}, 240_000);
afterAll(async () => {
  await replicas.close();
  await fixture.close();
});

async function labels(name: string): Promise<void> {
  await fixture.direct.create(CLUSTER_LABELS, { metadata: { name }, spec: { key: name, value: "x" } });
  await waitFor(
    `the label ${name}`,
    async () => {
      const { labels: found = {} } = (await fixture.direct.get(NODES, { name: "node" })).metadata;
      return found[`cluster.fleetwright.dev/${name}`] === "x";
    },
    120_000,
  );
}

test("row 35: a leader whose event loop hangs beyond its lease has stepped down before it can write again", async () => {
  const block = path.join(replicas.dir, "block.js");
  await writeFile(
    block,
    `process.on("SIGUSR2", () => { const end = Date.now() + ${HANG_MS}; while (Date.now() < end); });`,
  );
  const hung = replicas.start("hung", [], { node: ["--require", block] });
  await replicas.leads("hung");
  await labels("before");
  replicas.start("heir");
  hung.child.kill("SIGUSR2");
  // Nobody but the heir can do this: the other does not even hear of it before it wakes.
  await labels("meanwhile");
  await replicas.leads("heir");
  await waitFor(
    "it to step down",
    () => hung.lines.some((line) => line.includes("leads no longer")),
    120_000,
  );
  await labels("after");
  expect(await replicas.leader()).toMatch(/^heir_/);
  expect(hung.child.exitCode).toBeNull();
}, 600_000);
