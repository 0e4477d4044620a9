// A stack that an earlier release built is previewed by this one without a replacement. The state was exported from a sandbox where commit
// 3d557f8 had built the stack dev with a user, a registry, labels, a plugin, a role and a binding.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { startAws, type Aws } from "../../sandbox/aws";
import type { PlannedStep } from "../harness/pulumi-program";
import { StackProgram } from "../harness/stack-program";

const RECORDED = path.join(__dirname, "testdata", "dev-3d557f8");

let aws: Aws;
let program: StackProgram;
let steps: PlannedStep[];

beforeAll(async () => {
  aws = await startAws();
  const image = (name: string): string => `fleetwright.dev/${name}@sha256:${"a".repeat(64)}`;
  program = await StackProgram.open("dev", {
    ...aws.environment,
    FLEETWRIGHT_COORDINATOR_IMAGE: image("coordinator"),
    FLEETWRIGHT_AGENT_IMAGE: image("agent"),
  });
  const settings = path.join(program.folder, "Pulumi.dev.yaml");
  copyFileSync(path.join(RECORDED, "Pulumi.dev.yaml"), settings);
  writeFileSync(settings, readFileSync(settings, "utf8").replaceAll("http://127.0.0.1:4566", aws.endpoint));
  const state = path.join(program.folder, "state.json");
  writeFileSync(state, gunzipSync(readFileSync(path.join(RECORDED, "state.json.gz"))));
  await program.run(["stack", "import", "--file", state]);
  steps = await program.preview("--show-sames");
});

afterAll(async () => {
  await program.close();
  await aws.stop();
});

/** What this release makes in AWS for a cluster that exists. */
const NEW_IN_AWS = [/^dev-(servers|agents)-tcp-9808-from-(servers|agents)$/];

it("nothing of it is replaced or deleted, and what comes with this release in AWS is listed here", () => {
  expect(steps.length).toBeGreaterThan(170);
  const others = steps.filter(({ op }) => op !== "same" && op !== "update");
  expect(
    others.filter(
      ({ op, type, name }) =>
        op !== "create" ||
        !(/^(kubernetes:|fleetwright:index:)/.test(type) || NEW_IN_AWS.some((known) => known.test(name))),
    ),
  ).toEqual([]);
});

it("machines, volumes, networks, keys and what runs on servers stay exactly as they are", () => {
  // A command that only waits for the nodes of a pool may wait again.
  const durable = steps.filter(
    ({ op, type, name }) => op !== "create" && /^(aws|tls|command):/.test(type) && !/-pool-\w+$/.test(name),
  );
  expect(durable.length).toBeGreaterThan(100);
  expect(durable.filter(({ op }) => op !== "same")).toEqual([]);
});
