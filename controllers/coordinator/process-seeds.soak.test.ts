// Rows 30 and 35 of the fault matrix, twenty seeds each: what strikes the process as a whole, which is therefore one of its own.
import { closeSync, openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { Replicas, startCoordinatorFixture, type CoordinatorFixture } from "../../test/harness/coordinator";
import { repeatable, testSeeds } from "../../test/harness/seed";
import { seededRandom } from "../runtime";
import { NODES } from "./native-resources";
import { pick } from "./testing/declared-objects";
import { works } from "./testing/fault-rows";

let fixture: CoordinatorFixture;
let replicas: Replicas;
let block: string;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
  replicas = await Replicas.prepare(fixture);
  await fixture.direct.create(NODES, { metadata: { name: "node-a" } });
  block = path.join(replicas.dir, "block.js");
  await writeFile(
    block,
    'process.on("SIGUSR2", () => { const end = Date.now() + Number(process.env.BLOCK_MS); while (Date.now() < end); });',
  );
}, 240_000);
afterEach(async () => {
  await Promise.all(replicas.all.map((replica) => replica.kill()));
  await replicas.freeLease();
});
afterAll(async () => {
  await replicas.close();
  await fixture.close();
});

const isRoot = process.getuid?.() === 0;

async function lacking(seed: number): Promise<void> {
  const random = seededRandom(seed * 7919 + 30);
  const what = pick(random, ["handles", "full disk", ...(isRoot ? ["read-only"] : [])]);
  const shell = (script: string, ...before: string[]): readonly string[] => [
    ...before,
    "/bin/sh",
    "-c",
    `${script}; exec "$@"`,
    "sh",
  ];
  const full = openSync("/dev/full", "w");
  const replica = replicas.start(
    "poor",
    [],
    what === "handles"
      ? { through: shell(`ulimit -n ${38 + Math.floor(random() * 26)}`) }
      : what === "full disk"
        ? { stdout: full }
        : { through: shell("mount -o remount,bind,ro /", "unshare", "--mount", "--propagation", "private") },
  );
  closeSync(full);
  await replicas.leads("poor");
  await works(fixture, `poor-${seed}`);
  expect([what, replica.child.exitCode]).toEqual([what, null]);
}

async function pressed(seed: number): Promise<void> {
  const random = seededRandom(seed * 7919 + 35);
  const ms = 1000 + Math.floor(random() * 8000);
  const through = ["/usr/bin/env", `BLOCK_MS=${ms}`];
  const node = ["--max-old-space-size=128", "--require", block];
  const first = replicas.start("first", [], { node, through });
  await replicas.leads("first");
  const second = replicas.start("second", [], { node, through });
  await works(fixture, `before-${seed}`);
  first.child.kill("SIGUSR2");
  // Whoever does it: one of them does, and the other writes nothing meanwhile that has to be mended.
  await works(fixture, `meanwhile-${seed}`);
  await works(fixture, `after-${seed}`);
  expect([first.child.exitCode, second.child.exitCode]).toEqual([null, null]);
  const lines = [...first.lines, ...second.lines];
  expect(lines.filter((line) => line.includes("This is a bug"))).toEqual([]);
}

describe("row 30: with few file handles, a full disk under its log or a file system that cannot be written", () => {
  test.each(testSeeds(20))("seed %i: it leads and works", (seed) =>
    repeatable(seed, __filename, () => lacking(seed)),
  );
});

describe("row 35: with 128 MB of heap and an event loop that hangs for one to nine seconds", () => {
  test.each(testSeeds(20))("seed %i: what is declared is done, before, meanwhile and after", (seed) =>
    repeatable(seed, __filename, () => pressed(seed)),
  );
});
