import type { NodeUpgradeStatus } from "../../../api";
import { clusterUpgrade, type ClusterUpgradeSpecInput } from "../../../api";
import { ORDER_ANNOTATION, REPORT_ANNOTATION } from "../../../api/upgrade-annotations";
import type { UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import { CORDONED_BY, type ClusterState } from "./node-plan";
import { initialEntries, planUpgrade, type UpgradePlan } from "./plan";

const NOW = Date.UTC(2026, 0, 1, 12);
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();
const TARGET = "v1.35.4+rke2r1";

interface NodeFacts {
  version?: string;
  ready?: boolean;
  cordoned?: boolean;
  ours?: boolean;
  master?: boolean;
}
const node = (
  name: string,
  {
    version = "v1.34.1+rke2r1",
    ready = true,
    cordoned = false,
    ours = false,
    master = false,
  }: NodeFacts = {},
): Node => ({
  metadata: {
    name,
    labels: master ? { "node-role.kubernetes.io/control-plane": "true" } : {},
    ...(ours ? { annotations: { [CORDONED_BY]: "u" } } : {}),
  },
  spec: cordoned ? { unschedulable: true } : {},
  status: {
    conditions: [{ type: "Ready", status: ready ? "True" : "Unknown" }],
    nodeInfo: { kubeletVersion: version },
  },
});
function upgrade(nodes: NodeUpgradeStatus[], spec: Partial<ClusterUpgradeSpecInput> = {}): UpgradeObject {
  const parsed = clusterUpgrade.parse({
    apiVersion: "fleetwright.dev/v1",
    kind: "ClusterUpgrade",
    metadata: { name: "up" },
    spec: { version: TARGET, ...spec },
  });
  return { metadata: { name: "up", uid: "u" }, spec: parsed.spec, status: { phase: "Running", nodes } };
}
const state = (nodes: Node[], more: Partial<ClusterState> = {}): ClusterState => ({
  nodes: new Map(nodes.map((one) => [one.metadata.name, one])),
  drains: new Map(),
  oldComponents: new Map(),
  now: NOW,
  ...more,
});
const phases = ({ nodes }: UpgradePlan): Record<string, string> =>
  Object.fromEntries(
    nodes.map(({ name, phase, reason }) => [name, reason === undefined ? phase : `${phase} ${reason}`]),
  );
const pending = (...names: string[]): NodeUpgradeStatus[] =>
  names.map((name) => ({ name, phase: "Pending" }));
const at = (
  phase: NodeUpgradeStatus["phase"],
  more: Partial<NodeUpgradeStatus> = {},
): NodeUpgradeStatus[] => [{ name: "a", phase, startedAt: ago(10), phaseStartedAt: ago(5), ...more }];
const drained = (empty: boolean, ...waitingFor: string[]): Partial<ClusterState> => ({
  drains: new Map([["a", { empty, waitingFor }]]),
});

test("the control plane comes first, and what is at the version is done", () => {
  const nodes = [node("w2"), node("w1", { version: TARGET }), node("m", { master: true })];
  expect(initialEntries(upgrade([]), nodes)).toEqual([
    { name: "m", phase: "Pending" },
    { name: "w1", phase: "Done", reason: "AtVersion" },
    { name: "w2", phase: "Pending" },
  ]);
});

test.each<[string, NodeUpgradeStatus[], Node[], Partial<ClusterUpgradeSpecInput>, Record<string, string>]>([
  [
    "one control plane node at a time",
    pending("m1", "m2", "w"),
    [node("m1", { master: true }), node("m2", { master: true }), node("w")],
    { maxUnavailable: 3 },
    { m1: "Cordoning", m2: "Pending", w: "Pending" },
  ],
  [
    "no worker while the control plane is in work",
    [{ name: "m", phase: "Verifying", startedAt: ago(1) }, ...pending("w")],
    [node("m", { master: true, cordoned: true }), node("w")],
    {},
    { m: "Verifying Verifying", w: "Pending" },
  ],
  [
    "workers up to the limit",
    pending("a", "b", "c"),
    [node("a"), node("b"), node("c")],
    { maxUnavailable: 2 },
    { a: "Cordoning", b: "Cordoning", c: "Pending" },
  ],
  [
    "a worker that is not ready counts and is not begun",
    pending("a", "b", "c"),
    [node("a", { ready: false }), node("b"), node("c")],
    { maxUnavailable: 2 },
    { a: "Pending", b: "Cordoning", c: "Pending" },
  ],
  ["nothing while paused", pending("a"), [node("a")], { paused: true }, { a: "Pending" }],
  [
    "nothing after a failure",
    [{ name: "x", phase: "Failed" }, ...pending("a")],
    [node("x"), node("a")],
    {},
    { x: "Failed", a: "Pending" },
  ],
  [
    "the next after a failure, if so wanted",
    [{ name: "x", phase: "Failed" }, ...pending("a")],
    [node("x"), node("a")],
    { onFailure: "Continue" },
    { x: "Failed", a: "Cordoning" },
  ],
  ["nothing more once aborted", pending("a"), [node("a")], { aborted: true }, { a: "Pending" }],
  [
    "not one that went meanwhile",
    pending("a", "b"),
    [node("b")],
    {},
    { a: "Skipped NodeGone", b: "Cordoning" },
  ],
  [
    "not one that no longer fits the selector",
    pending("a", "b"),
    [node("a"), node("b", { master: true })],
    { nodeSelector: { matchLabels: { "node-role.kubernetes.io/control-plane": "true" } } },
    { a: "Skipped NotSelected", b: "Cordoning" },
  ],
  [
    "one that joined meanwhile, after the others; one that joined at the version is done",
    pending("a"),
    [node("a"), node("new"), node("newer", { version: TARGET })],
    {},
    { a: "Cordoning", new: "Pending", newer: "Done AtVersion" },
  ],
  [
    "a control plane node that joined meanwhile before the workers that wait",
    pending("a"),
    [node("a"), node("new", { master: true })],
    {},
    { a: "Pending", new: "Cordoning" },
  ],
  [
    "one that is back, but not one that its agent has worked on",
    [
      { name: "a", phase: "Skipped", reason: "NodeGone" },
      { name: "b", phase: "Skipped", reason: "NodeGone", attempt: 1 },
    ],
    [node("a"), node("b")],
    { maxUnavailable: 2 },
    { a: "Cordoning", b: "Skipped NodeGone" },
  ],
  [
    "none that joined after the upgrade was aborted",
    pending("a"),
    [node("a"), node("new")],
    { aborted: true },
    { a: "Pending" },
  ],
])("begun: %s", (_what, entries, nodes, spec, expected) => {
  expect(phases(planUpgrade(upgrade(entries, spec), state(nodes)))).toEqual(expected);
});

test.each<
  [string, NodeUpgradeStatus[], Node, Partial<ClusterState>, Partial<ClusterUpgradeSpecInput>, string]
>([
  ["not cordoned yet", at("Cordoning"), node("a"), {}, {}, "Cordoning"],
  ["cordoned", at("Cordoning"), node("a", { cordoned: true }), {}, {}, "Draining"],
  ["not empty", at("Draining"), node("a", { cordoned: true }), drained(false, "x"), {}, "Draining Draining"],
  ["empty", at("Draining"), node("a", { cordoned: true }), drained(true), {}, "Upgrading"],
  [
    "not empty in time",
    at("Draining", { phaseStartedAt: ago(601) }),
    node("a", { cordoned: true }),
    drained(false),
    {},
    "Uncordoning DrainTimeout",
  ],
  [
    "not empty in time, but to be upgraded all the same",
    at("Draining", { phaseStartedAt: ago(601) }),
    node("a", { cordoned: true }),
    drained(false),
    { drain: { onTimeout: "Proceed" } },
    "Upgrading DrainTimeout",
  ],
  ["with the agent", at("Upgrading"), node("a", { cordoned: true }), {}, {}, "Upgrading"],
  [
    "with an installer that failed",
    at("Upgrading", { exitCode: 3 }),
    node("a", { cordoned: true }),
    {},
    {},
    "Uncordoning InstallerFailed",
  ],
  [
    "with an installer that the agent refused",
    at("Upgrading", { installer: "Refused", installerMessage: "another digest" }),
    node("a", { cordoned: true }),
    {},
    {},
    "Uncordoning InstallerRefused",
  ],
  [
    "with an installer that was not run because of the abort",
    at("Upgrading", { installer: "Aborted" }),
    node("a", { cordoned: true }),
    {},
    { aborted: true },
    "Uncordoning Aborted",
  ],
  [
    "with an installer of which nobody knows how it ended",
    at("Upgrading", { installer: "Lost" }),
    node("a", { cordoned: true }),
    {},
    {},
    "Uncordoning InstallerLost",
  ],
  [
    "at the version, though nobody knows how the installer ended",
    at("Upgrading", { installer: "Lost" }),
    node("a", { cordoned: true, version: TARGET }),
    {},
    {},
    "Verifying",
  ],
  [
    "at the version",
    at("Upgrading", { exitCode: 0 }),
    node("a", { cordoned: true, version: TARGET, ready: false }),
    {},
    {},
    "Verifying",
  ],
  [
    "at the version but not ready",
    at("Verifying"),
    node("a", { cordoned: true, version: TARGET, ready: false }),
    {},
    {},
    "Verifying Verifying",
  ],
  [
    "ready with old components",
    at("Verifying"),
    node("a", { cordoned: true, version: TARGET }),
    { oldComponents: new Map([["a", ["kube-apiserver-a"]]]) },
    {},
    "Verifying Verifying",
  ],
  [
    "verified",
    at("Verifying"),
    node("a", { cordoned: true, ours: true, version: TARGET }),
    {},
    {},
    "Uncordoning Upgraded",
  ],
  [
    "still cordoned",
    at("Uncordoning", { reason: "Upgraded" }),
    node("a", { cordoned: true, ours: true, version: TARGET }),
    {},
    {},
    "Uncordoning Upgraded",
  ],
  [
    "uncordoned",
    at("Uncordoning", { reason: "Upgraded" }),
    node("a", { version: TARGET }),
    {},
    {},
    "Done Upgraded",
  ],
  [
    "cordoned by somebody else before",
    at("Uncordoning", { reason: "Upgraded" }),
    node("a", { cordoned: true, version: TARGET }),
    {},
    {},
    "Done Upgraded",
  ],
  [
    "uncordoned after a failure",
    at("Uncordoning", { reason: "InstallerFailed" }),
    node("a"),
    {},
    {},
    "Failed InstallerFailed",
  ],
  [
    "too late in all",
    at("Upgrading", { startedAt: ago(1801) }),
    node("a", { cordoned: true }),
    {},
    {},
    "Uncordoning Timeout",
  ],
  [
    "aborted while draining",
    at("Draining"),
    node("a", { cordoned: true }),
    drained(false),
    { aborted: true },
    "Uncordoning Aborted",
  ],
  [
    "aborted while the installer runs",
    at("Upgrading"),
    node("a", { cordoned: true }),
    {},
    { aborted: true },
    "Upgrading",
  ],
  [
    "brought back after an abort",
    at("Uncordoning", { reason: "Aborted" }),
    node("a"),
    {},
    { aborted: true },
    "Skipped Aborted",
  ],
  [
    "paused while in work",
    at("Draining"),
    node("a", { cordoned: true }),
    drained(true),
    { paused: true },
    "Upgrading",
  ],
])("a node that is %s", (_what, entries, one, more, spec, expected) => {
  expect(phases(planUpgrade(upgrade(entries, spec), state([one], more)))).toEqual({ a: expected });
});

test.each<[string, NodeUpgradeStatus[], Partial<ClusterUpgradeSpecInput>, UpgradePlan["phase"]]>([
  ["all done", [{ name: "a", phase: "Done" }], {}, "Succeeded"],
  ["one failed", [{ name: "a", phase: "Failed" }], {}, "Failed"],
  ["one failed and others wait", [{ name: "x", phase: "Failed" }, ...pending("a")], {}, "Failed"],
  ["paused between two", pending("a"), { paused: true }, "Paused"],
  ["aborted with some left", pending("a"), { aborted: true }, "Aborted"],
  ["aborted when all was done", [{ name: "a", phase: "Done" }], { aborted: true }, "Succeeded"],
  ["aborted with one in work", at("Upgrading"), { aborted: true }, "Aborting"],
])("over or not: %s", (_what, entries, spec, phase) => {
  expect(planUpgrade(upgrade(entries, spec), state(entries.map(({ name }) => node(name)))).phase).toBe(phase);
});

test("only a node that this upgrade cordoned is uncordoned", () => {
  const entries = at("Uncordoning", { reason: "Upgraded" });
  const actions = (one: Node): unknown => planUpgrade(upgrade(entries), state([one])).actions;
  expect(actions(node("a", { cordoned: true, ours: true }))).toEqual([{ what: "uncordon", node: "a" }]);
  expect(actions(node("a", { cordoned: true }))).toEqual([]);
});

describe("what stands on the Node", () => {
  const marked = (facts: NodeFacts, annotations: Record<string, object>): Node => {
    const one = node("a", { cordoned: true, ours: true, ...facts });
    for (const [key, value] of Object.entries(annotations))
      one.metadata.annotations = { ...one.metadata.annotations, [key]: JSON.stringify(value) };
    return one;
  };
  const order = (what: string, uid = "u"): Record<string, object> => ({
    [ORDER_ANNOTATION]: { name: "up", uid, what },
  });

  test("an agent's report comes into the node's entry, in place of its last one", () => {
    const before = at("Upgrading", { attempt: 0, installer: "Fetching", installerMessage: "not yet" });
    const told = { uid: "u", attempt: 1, exitCode: 7, output: "no", installer: "Failed" };
    const { nodes } = planUpgrade(upgrade(before), state([marked({}, { [REPORT_ANNOTATION]: told })]));
    expect(nodes[0]).toMatchObject({
      phase: "Uncordoning",
      reason: "InstallerFailed",
      attempt: 1,
      exitCode: 7,
      output: "no",
      installer: "Failed",
    });
    expect(nodes[0]).not.toHaveProperty("installerMessage");
  });

  test("a report of another upgrade does not count", () => {
    const told = { uid: "other", attempt: 1, exitCode: 7 };
    const { nodes } = planUpgrade(
      upgrade(at("Upgrading")),
      state([marked({}, { [REPORT_ANNOTATION]: told })]),
    );
    expect(nodes[0]).toEqual(at("Upgrading")[0]);
  });

  test.each<[string, NodeUpgradeStatus[], Node, Partial<ClusterUpgradeSpecInput>, unknown[]]>([
    ["to run", at("Upgrading"), marked({}, {}), {}, [{ what: "order", node: "a", order: "run" }]],
    ["nothing new", at("Upgrading"), marked({}, order("run")), {}, []],
    [
      "to run, whatever another upgrade said",
      at("Upgrading"),
      marked({}, order("run", "other")),
      {},
      [{ what: "order", node: "a", order: "run" }],
    ],
    [
      "to begin nothing after an abort",
      at("Upgrading"),
      marked({}, order("run")),
      { aborted: true },
      [{ what: "order", node: "a", order: "end" }],
    ],
    [
      "to stop when its time is over",
      at("Uncordoning", { reason: "Timeout" }),
      marked({}, order("run")),
      {},
      [
        { what: "order", node: "a", order: "stop" },
        { what: "uncordon", node: "a" },
      ],
    ],
    [
      "nothing when its time is over before it was handed over",
      at("Uncordoning", { reason: "Timeout" }),
      marked({}, {}),
      {},
      [{ what: "uncordon", node: "a" }],
    ],
    ["nothing before it is empty", at("Draining"), marked({}, {}), {}, []],
  ])("an agent is ordered %s", (_what, entries, one, spec, actions) => {
    expect(planUpgrade(upgrade(entries, spec), state([one])).actions).toEqual(actions);
  });

  test("a node whose time is over has failed only when its agent has the order to stop", () => {
    const entries = at("Uncordoning", { reason: "Timeout" });
    const released = (annotations: Record<string, object>): Node =>
      marked({ cordoned: false, ours: false }, annotations);
    expect(phases(planUpgrade(upgrade(entries), state([released(order("run"))])))).toEqual({
      a: "Uncordoning Timeout",
    });
    expect(phases(planUpgrade(upgrade(entries), state([released(order("stop"))])))).toEqual({
      a: "Failed Timeout",
    });
  });
});
