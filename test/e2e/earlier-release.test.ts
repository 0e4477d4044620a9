// A stack that an earlier release built is previewed by this one without a replacement.
import { startAws, type Aws } from "../../sandbox/aws";
import type { PlannedStep } from "../harness/pulumi-program";
import { openRecordedStack } from "../harness/recorded-stack";
import type { StackProgram } from "../harness/stack-program";

let aws: Aws;
let program: StackProgram;
let steps: PlannedStep[];

beforeAll(async () => {
  aws = await startAws();
  program = await openRecordedStack(aws);
  steps = await program.preview("--show-sames");
});

afterAll(async () => {
  await program.close();
  await aws.stop();
});

/** What this release makes in AWS for a cluster that exists. */
const NEW_IN_AWS = /^dev-(servers|agents)-tcp-9808-from-(servers|agents)$/;

/** Rules of security groups for ports at which no other node asks: they are closed. */
const CLOSED = /-tcp-9099-from-(servers|agents)$/;

/** The range that loses a port, and scripts that run again and restart nothing: they look closer at volumes and bring iptables. */
const RUN_AGAIN = /^dev-(servers-tcp-2379-from-servers|server-\d-(mounted|rke2))$/;

/** What nodes of pools are made from, which replaces them one after another: they tell their place now. */
const ROLLED = /^dev-(web|batch)-(template|group)$/;

/** A command that only waits for the nodes of a pool may wait again. */
const WAITS = /-pool-\w+$/;

it("nothing of it is replaced or deleted, and what comes with this release in AWS is listed here", () => {
  expect(steps.length).toBeGreaterThan(170);
  const others = steps.filter(({ op, name }) => op !== "same" && op !== "update" && !WAITS.test(name));
  expect(
    others.filter(
      ({ op, type, name }) =>
        !(op === "delete" && CLOSED.test(name)) &&
        (op !== "create" || !(/^(kubernetes:|fleetwright:index:)/.test(type) || NEW_IN_AWS.test(name))),
    ),
  ).toEqual([]);
});

it("machines, volumes, networks, keys and what runs on servers stay as they are", () => {
  const durable = steps.filter(
    ({ op, type, name }) =>
      op !== "create" && /^(aws|tls|command):/.test(type) && !WAITS.test(name) && !CLOSED.test(name),
  );
  expect(durable.length).toBeGreaterThan(100);
  expect(
    durable.filter(
      ({ op, name }) => op !== "same" && !(op === "update" && (ROLLED.test(name) || RUN_AGAIN.test(name))),
    ),
  ).toEqual([]);
});
