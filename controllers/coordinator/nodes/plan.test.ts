import type { Node } from "../native-resources";
import { statesIn } from "./instances";
import { allowance, isControlPlane, isMassLoss, machineOf, verdictOf, witnesses } from "./plan";

const node = (providerID: string, ready = "True", labels: Record<string, string> = {}): Node => ({
  metadata: { name: "n", labels },
  spec: { providerID },
  status: { conditions: [{ type: "Ready", status: ready }] },
});

test.each<[string, string | undefined, string | undefined]>([
  ["aws:///eu-central-1a/i-0123456789abcdef0", "eu-central-1", "i-0123456789abcdef0"],
  ["aws:///us-gov-west-1b/i-0a", "us-gov-west-1", "i-0a"],
  ["aws:///us-west-2-lax-1a/i-0a", "us-west-2", "i-0a"],
  ["rke2://server-0", undefined, undefined],
  ["gce://project/zone/name", undefined, undefined],
  ["aws:///eu-central-1a/fargate-ip-10-0-0-1", undefined, undefined],
  ["aws:///evil.example.com/i-0a", undefined, undefined],
  ["", undefined, undefined],
])("the machine of the provider id %j is in %s: %s", (providerId, region, id) => {
  expect(machineOf(node(providerId))).toEqual(region === undefined ? undefined : { region, id });
});

test.each<[string | undefined, boolean, string]>([
  ["terminated", true, "gone"],
  ["terminated", false, "gone"],
  ["shutting-down", true, "unclear"],
  ["running", true, "exists"],
  ["pending", true, "exists"],
  ["stopped", true, "exists"],
  ["stopping", true, "exists"],
  [undefined, true, "gone"],
  [undefined, false, "unclear"],
])("a machine that is %s in an answer that knows others (%s) is %s", (state, knowsOthers, verdict) => {
  expect(verdictOf(state, knowsOthers)).toBe(verdict);
});

test("only nodes that are Ready, in the same region, can bear witness", () => {
  const all = [
    node("aws:///eu-central-1a/i-01"),
    node("aws:///eu-central-1b/i-02", "Unknown"),
    node("aws:///us-east-1a/i-03"),
    node("rke2://x"),
  ];
  expect(witnesses(all, "eu-central-1")).toEqual(["i-01"]);
});

test.each(["control-plane", "etcd", "master"])(
  "a node with the role %s is part of the control plane",
  (role) => {
    expect(isControlPlane(node("", "True", { [`node-role.kubernetes.io/${role}`]: "true" }))).toBe(true);
    expect(isControlPlane(node("", "True", { "node-role.kubernetes.io/worker": "true" }))).toBe(false);
  },
);

test.each([
  [1, 1, 0, true],
  [1, 2, 1, false],
  [2, 4, 2, false],
  [3, 5, 2, true],
  [1, 500, 499, false],
  [251, 500, 249, true],
])("%i of %i nodes without a machine, %i Ready, are too many: %s", (gone, total, ready, mass) => {
  expect(isMassLoss(gone, { total, ready })).toBe(mass);
});

test("so many nodes go within a window and no more", () => {
  expect(allowance([], 0, 1000, 5)).toBe(5);
  expect(allowance([0, 100, 900], 1000, 1000, 3)).toBe(1);
  expect(allowance([100, 200, 900], 1000, 1000, 3)).toBe(0);
});

test("what is no list of instances is never taken for an empty one", () => {
  const item = (id: string, state: string): string =>
    `<item><instanceId>${id}</instanceId><imageId>ami-0</imageId><instanceState><code>16</code><name>${state}</name></instanceState></item>`;
  const answer = (items: string): string =>
    `<?xml version="1.0"?><DescribeInstancesResponse xmlns="http://ec2"><reservationSet>${items}</reservationSet></DescribeInstancesResponse>`;
  expect(statesIn(answer(item("i-01", "running") + item("i-02", "terminated")))).toEqual(
    new Map([
      ["i-01", "running"],
      ["i-02", "terminated"],
    ]),
  );
  expect(
    statesIn('<DescribeInstancesResponse xmlns="x"><reservationSet/></DescribeInstancesResponse>').size,
  ).toBe(0);
  for (const text of ["", "<html>", "{}", "<DescribeInstancesResponse/>"])
    expect(() => statesIn(text)).toThrow(/no list of instances/);
});
