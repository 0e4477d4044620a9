import type { NodeUpgradeStatus } from "../../../api";
import { clusterUpgrade, type ClusterUpgradeSpecInput } from "../../../api";
import { ORDER_ANNOTATION, REPORT_ANNOTATION } from "../../../api/upgrade-annotations";
import type { UpgradeObject } from "../kinds";
import type { Node } from "../native-resources";
import type { Pod } from "./drain";
import { CORDONED_BY, type ClusterState } from "./node-plan";
import { isControlPlane, kubeletVersion } from "./versions";
import { planUpgrade, type UpgradePlan } from "./plan";

const NOW = Date.UTC(2026, 0, 1, 12);
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();
const TARGET = "v1.35.4+rke2r1";

interface NodeFacts {
  version?: string;
  ready?: boolean;
  cordoned?: boolean;
  ours?: boolean;
  master?: boolean;
  voter?: boolean;
}
const node = (
  name: string,
  {
    version = "v1.34.1+rke2r1",
    ready = true,
    cordoned = false,
    ours = false,
    master = false,
    voter,
  }: NodeFacts = {},
): Node => ({
  metadata: {
    name,
    labels: master
      ? { "node-role.kubernetes.io/control-plane": "true", "node-role.kubernetes.io/etcd": "true" }
      : {},
    ...(ours ? { annotations: { [CORDONED_BY]: "u" } } : {}),
  },
  spec: cordoned ? { unschedulable: true } : {},
  status: {
    conditions: [
      { type: "Ready", status: ready ? "True" : "Unknown" },
      ...(voter === undefined ? [] : [{ type: "EtcdIsVoter", status: voter ? "True" : "False" }]),
    ],
    nodeInfo: { kubeletVersion: version },
  },
});
function upgrade(nodes: NodeUpgradeStatus[], spec: Partial<ClusterUpgradeSpecInput> = {}): UpgradeObject {
  const parsed = clusterUpgrade.parse({
    apiVersion: "fleetwright.dev/v1",
    kind: "ClusterUpgrade",
    metadata: { name: "up" },
    spec: { version: TARGET, digest: `sha256:${"0".repeat(64)}`, ...spec },
  });
  return { metadata: { name: "up", uid: "u" }, spec: parsed.spec, status: { phase: "Running", nodes } };
}
const state = (nodes: Node[], more: Partial<ClusterState> = {}): ClusterState => ({
  nodes: new Map(nodes.map((one) => [one.metadata.name, one])),
  drains: new Map(),
  controlPlane: {
    pods: nodes.filter(isControlPlane).flatMap((one) => pods(one.metadata.name, kubeletVersion(one))),
    problems: [],
  },
  // What passes between two looks is the stopwatch's business.
  elapsed: ({ secondsInWork = 0, secondsInPhase = 0 }) => ({ work: secondsInWork, phase: secondsInPhase }),
  now: NOW,
  ...more,
});
const phases = ({ nodes }: UpgradePlan): Record<string, string> =>
  Object.fromEntries(
    nodes.map(({ name, phase, reason }) => [name, reason === undefined ? phase : `${phase} ${reason}`]),
  );
const pods = (name: string, version = TARGET): Pod[] =>
  ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"].map((component) => ({
    metadata: {
      name: `${component}-${name}`,
      namespace: "kube-system",
      labels: { tier: "control-plane", component },
    },
    spec: { nodeName: name, containers: [{ name: "c", image: `x:${version.replace("+", "-")}` }] },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  }));
const failed = (name: string, secondsInPhase = 0): NodeUpgradeStatus => ({
  name,
  phase: "Failed",
  reason: "Timeout",
  startedAt: ago(999),
  secondsInPhase,
});
const at = (
  phase: NodeUpgradeStatus["phase"],
  more: Partial<NodeUpgradeStatus> = {},
): NodeUpgradeStatus[] => [{ name: "a", phase, startedAt: ago(10), phaseStartedAt: ago(5), ...more }];
const drained = (empty: boolean, ...waitingFor: string[]): Partial<ClusterState> => ({
  drains: new Map([["a", { empty, waitingFor }]]),
});

test("what is at the version is done, what is not is waiting, and status names neither", () => {
  const nodes = [node("w2"), node("w1", { version: TARGET }), node("m", { master: true })];
  const { nodes: entries, total, done } = planUpgrade(upgrade([], { paused: true }), state(nodes));
  expect([entries, total, done]).toEqual([[], 3, 1]);
});

test.each<[string, NodeUpgradeStatus[], Node[], Partial<ClusterUpgradeSpecInput>, Record<string, string>]>([
  [
    "one control plane node at a time",
    [],
    [node("m1", { master: true }), node("m2", { master: true }), node("w")],
    { maxUnavailable: 3 },
    { m1: "Draining" },
  ],
  [
    "no worker while the control plane is in work",
    [{ name: "m", phase: "Verifying", startedAt: ago(1) }],
    [node("m", { master: true, cordoned: true }), node("w")],
    {},
    { m: "Verifying Verifying" },
  ],
  [
    "no control plane node while a worker is in work",
    [{ name: "w", phase: "Upgrading", startedAt: ago(1) }],
    [node("m", { master: true }), node("w", { cordoned: true })],
    { maxUnavailable: 3 },
    { w: "Upgrading" },
  ],
  [
    "workers up to the limit",
    [],
    [node("a"), node("b"), node("c")],
    { maxUnavailable: 2 },
    { a: "Draining", b: "Draining" },
  ],
  [
    "a worker that is not ready counts and is not begun",
    [],
    [node("a", { ready: false }), node("b"), node("c")],
    { maxUnavailable: 2 },
    { b: "Draining" },
  ],
  ["nothing while paused", [], [node("a")], { paused: true }, {}],
  ["nothing without a digest", [], [node("a")], { digest: undefined }, {}],
  ["nothing after a failure", [failed("x")], [node("x"), node("a")], {}, { x: "Failed Timeout" }],
  [
    "the next after a failure, if so wanted",
    [failed("x")],
    [node("x"), node("a")],
    { onFailure: "Continue" },
    { x: "Failed Timeout", a: "Draining" },
  ],
  ["nothing more once aborted", [], [node("a")], { aborted: true }, {}],
  [
    "not one that no longer fits the selector",
    [],
    [node("a"), node("b", { master: true })],
    { nodeSelector: { matchLabels: { "node-role.kubernetes.io/control-plane": "true" } } },
    { b: "Draining" },
  ],
  [
    "a control plane node that joined meanwhile before the workers that wait",
    [],
    [node("a"), node("new", { master: true })],
    {},
    { new: "Draining" },
  ],
  [
    "one that is back, but not one that its agent has worked on",
    [{ name: "b", phase: "Skipped", reason: "NodeGone", attempt: 1 }],
    [node("a"), node("b")],
    { maxUnavailable: 2 },
    { b: "Skipped NodeGone", a: "Draining" },
  ],
])("begun: %s", (_what, entries, nodes, spec, expected) => {
  expect(phases(planUpgrade(upgrade(entries, spec), state(nodes)))).toEqual(expected);
});

describe("the control plane has to be whole before another node is begun", () => {
  const servers = ["m1", "m2", "m3"].map((name) => node(name, { master: true }));
  const [m1, m2, m3] = servers as [Node, Node, Node];
  const all = servers.flatMap(({ metadata }) => pods(metadata.name, "v1.34.1+rke2r1"));
  const without = (name: string): Pod[] => all.filter(({ metadata }) => metadata.name !== name);
  const done = node("m1", { master: true, version: TARGET });
  const notReady = (pod: Pod): Pod => ({
    ...pod,
    status: { conditions: [{ type: "Ready", status: "False" }] },
  });

  test.each<[string, Node[], ClusterState["controlPlane"], string]>([
    [
      "another server is not Ready",
      [m1, m2, node("m3", { master: true, ready: false })],
      { pods: all, problems: [] },
      "m3 is not Ready",
    ],
    ["a server has no etcd", servers, { pods: without("etcd-m2"), problems: [] }, "etcd has no pod on m2"],
    [
      "a server's scheduler is gone",
      servers,
      { pods: without("kube-scheduler-m3"), problems: [] },
      "kube-scheduler has no pod on m3",
    ],
    [
      "an API server is not Ready",
      servers,
      {
        pods: all.map((pod) => (pod.metadata.name === "kube-apiserver-m2" ? notReady(pod) : pod)),
        problems: [],
      },
      "kube-apiserver on m2 is not Ready",
    ],
    [
      "a member of etcd is still a learner",
      [m1, node("m2", { master: true, voter: false }), m3],
      { pods: all, problems: [] },
      "m2 is no voting member of etcd yet",
    ],
    [
      "the API server says that its etcd failed",
      servers,
      { pods: all, problems: ["the API server is not ready: etcd failed"] },
      "the API server is not ready: etcd failed",
    ],
    [
      "one that is upgraded already broke since",
      [node("m1", { master: true, version: TARGET, ready: false }), m2, m3],
      { pods: all, problems: [] },
      "m1 is not Ready",
    ],
    [
      "only workers are left, and a server is not Ready",
      [done, node("m2", { master: true, version: TARGET, ready: false }), node("w")],
      { pods: [...pods("m1"), ...pods("m2")], problems: [] },
      "m2 is not Ready",
    ],
  ])("held: %s", (_what, nodes, controlPlane, why) => {
    const plan = planUpgrade(upgrade([], { maxUnavailable: 5 }), state(nodes, { controlPlane }));
    expect([plan.nodes, plan.phase, plan.reason]).toEqual([[], "Running", "Held"]);
    expect(plan.message).toContain(`no other node is begun, because ${why}`);
  });

  test.each<[string, Node[], Pod[], string]>([
    ["all are well", servers, all, "m1"],
    ["the one that is next has no etcd any more: it is the one to mend", servers, without("etcd-m1"), "m1"],
    ["a distribution without pods of its control plane", servers.map(plain), [], "m1"],
    [
      "etcd votes everywhere",
      servers.map(({ metadata }) => node(metadata.name, { master: true, voter: true })),
      all,
      "m1",
    ],
  ])("goes on: %s", (_what, nodes, found, begun) => {
    const plan = planUpgrade(upgrade([]), state(nodes, { controlPlane: { pods: found, problems: [] } }));
    expect(phases(plan)).toEqual({ [begun]: "Draining" });
  });

  test("of a distribution that is not RKE2, all servers must show what one of them shows", () => {
    const controlPlane = { pods: pods("m1"), problems: [] };
    const plan = planUpgrade(upgrade([]), state(servers.map(plain), { controlPlane }));
    expect(plan.message).toContain("kube-apiserver has no pod on m2");
  });

  test("the same is asked of the server that was upgraded, before it is given back", () => {
    const cordoned = node("m1", { master: true, cordoned: true, ours: true, version: TARGET });
    const entry: NodeUpgradeStatus = { name: "m1", phase: "Upgrading", startedAt: ago(9) };
    const look = (found: Pod[]): UpgradePlan =>
      planUpgrade(
        upgrade([entry]),
        state([cordoned, m2, m3], { controlPlane: { pods: [...found, ...all.slice(4)], problems: [] } }),
      );
    const waiting = look(pods("m1").slice(1));
    expect(phases(waiting)).toEqual({ m1: "Verifying Verifying" });
    expect(waiting.nodes[0]?.message).toBe("Waiting, because etcd has no pod on m1.");
    expect(look(pods("m1", "v1.34.1+rke2r1")).nodes[0]?.message).toContain(
      "kube-apiserver-m1 is at another version",
    );
    expect(look(pods("m1")).actions).toEqual([
      { what: "order", node: "m1", order: "run" },
      { what: "uncordon", node: "m1" },
    ]);
  });

  function plain(one: Node): Node {
    return { ...one, status: { ...one.status, nodeInfo: { kubeletVersion: "v1.34.1" } } };
  }
});

test.each<
  [string, NodeUpgradeStatus[], Node, Partial<ClusterState>, Partial<ClusterUpgradeSpecInput>, string]
>([
  ["not cordoned yet", at("Draining"), node("a"), {}, {}, "Draining Draining"],
  ["as an earlier release began it", at("Cordoning"), node("a"), {}, {}, "Draining Draining"],
  ["not empty", at("Draining"), node("a", { cordoned: true }), drained(false, "x"), {}, "Draining Draining"],
  ["empty", at("Draining"), node("a", { cordoned: true }), drained(true), {}, "Upgrading Drained"],
  [
    "not empty in time",
    at("Draining", { secondsInPhase: 601 }),
    node("a", { cordoned: true }),
    drained(false),
    {},
    "Uncordoning DrainTimeout",
  ],
  [
    "in time by the clock that counts, whatever the date says",
    at("Draining", { phaseStartedAt: ago(90_000), startedAt: ago(90_000), secondsInPhase: 5 }),
    node("a", { cordoned: true }),
    drained(false),
    {},
    "Draining Draining",
  ],
  [
    "not empty in time, but to be upgraded all the same",
    at("Draining", { secondsInPhase: 601 }),
    node("a", { cordoned: true }),
    drained(false),
    { drain: { onTimeout: "Proceed" } },
    "Upgrading DrainTimeout",
  ],
  ["gone before its agent got the order", at("Draining"), node("b", { version: TARGET }), {}, {}, "nothing"],
  [
    "gone after its agent got the order",
    at("Upgrading"),
    node("b", { version: TARGET }),
    {},
    {},
    "Skipped NodeGone",
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
    node("a", { cordoned: true, ours: true, version: TARGET }),
    {},
    {},
    "Upgrading",
  ],
  [
    "at the version but not ready",
    at("Upgrading", { exitCode: 0 }),
    node("a", { cordoned: true, version: TARGET, ready: false }),
    {},
    {},
    "Verifying Verifying",
  ],
  [
    "still not ready",
    at("Verifying"),
    node("a", { cordoned: true, version: TARGET, ready: false }),
    {},
    {},
    "Verifying Verifying",
  ],
  [
    "ready with old components",
    at("Verifying"),
    node("a", { cordoned: true, version: TARGET, master: true }),
    { controlPlane: { pods: pods("a", "v1.34.1+rke2r1"), problems: [] } },
    {},
    "Verifying Verifying",
  ],
  [
    "verified and still cordoned",
    at("Verifying"),
    node("a", { cordoned: true, ours: true, version: TARGET }),
    {},
    {},
    "Verifying",
  ],
  ["verified and uncordoned", at("Upgrading"), node("a", { version: TARGET }), {}, {}, "nothing"],
  [
    "verified, and cordoned by somebody else before",
    at("Upgrading"),
    node("a", { cordoned: true, version: TARGET }),
    {},
    {},
    "nothing",
  ],
  [
    "being uncordoned as an earlier release wrote it",
    at("Uncordoning", { reason: "Upgraded" }),
    node("a", { cordoned: true, ours: true, version: TARGET }),
    {},
    {},
    "Uncordoning Upgraded",
  ],
  [
    "uncordoned as an earlier release wrote it",
    at("Uncordoning", { reason: "Upgraded" }),
    node("a", { version: TARGET }),
    {},
    {},
    "nothing",
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
    at("Upgrading", { secondsInWork: 1801 }),
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
    "nothing",
  ],
  [
    "paused while in work",
    at("Draining"),
    node("a", { cordoned: true }),
    drained(true),
    { paused: true },
    "Upgrading Drained",
  ],
])("a node that is %s", (_what, entries, one, more, spec, expected) => {
  expect(phases(planUpgrade(upgrade(entries, spec), state([one], more)))).toEqual(
    expected === "nothing" ? {} : { a: expected },
  );
});

test.each<[string, NodeUpgradeStatus[], Node[], Partial<ClusterUpgradeSpecInput>, UpgradePlan["phase"]]>([
  ["all done", [], [node("a", { version: TARGET })], {}, "Succeeded"],
  ["one failed", [failed("a")], [node("a")], {}, "Failed"],
  ["one failed and others wait", [failed("x")], [node("x"), node("a")], {}, "Failed"],
  ["paused between two", [], [node("a")], { paused: true }, "Paused"],
  ["aborted with some left", [], [node("a")], { aborted: true }, "Aborted"],
  ["aborted when all was done", [], [node("a", { version: TARGET })], { aborted: true }, "Succeeded"],
  ["aborted with one in work", at("Upgrading"), [node("a")], { aborted: true }, "Aborting"],
])("over or not: %s", (_what, entries, nodes, spec, phase) => {
  expect(planUpgrade(upgrade(entries, spec), state(nodes)).phase).toBe(phase);
});

describe("with onFailure: Continue", () => {
  const goesOn = { onFailure: "Continue", maxUnavailable: 2 } as const;
  const broken = (name: string, more: NodeFacts = {}): Node => node(name, { ready: false, ...more });

  test.each<[string, NodeUpgradeStatus[], Node[], UpgradePlan["phase"], string]>([
    [
      "goes on while there is room",
      [failed("x", 999)],
      [broken("x"), node("a")],
      "Running",
      "in progress: a (Draining); failed: x (Timeout); not Ready, and so counted as unavailable: x",
    ],
    [
      "waits a while for failed nodes to come back",
      [failed("x", 10), failed("y", 999)],
      [broken("x"), broken("y"), node("a")],
      "Running",
      "not Ready, and so counted as unavailable: x, y",
    ],
    [
      "ends when nodes that failed and stay away leave no room",
      [failed("x", 301), failed("y", 999)],
      [broken("x"), broken("y"), node("a")],
      "Failed",
      "nodes that failed and are not Ready use up maxUnavailable (2): repair or remove x, y, and make a new ClusterUpgrade",
    ],
    [
      "ends when a server failed and stays away",
      [failed("m", 301)],
      [broken("m", { master: true }), node("a")],
      "Failed",
      "m of the control plane failed and is not Ready: repair it, and make a new ClusterUpgrade",
    ],
    [
      "ends after too many failures",
      Array.from({ length: 20 }, (_, index) => failed(`x${index}`)),
      [node("a")],
      "Failed",
      "20 failures are too many to go on",
    ],
  ])("it %s", (_what, entries, nodes, phase, words) => {
    const plan = planUpgrade(upgrade(entries, goesOn), state(nodes));
    expect(plan.phase).toBe(phase);
    expect(plan.message).toContain(words);
  });
});

test("status stays below 100 KB with as many nodes in work and failed as there can be, each with all that can be said", () => {
  const long = "x".repeat(5000);
  const entry = (name: string, phase: NodeUpgradeStatus["phase"]): NodeUpgradeStatus => ({
    ...{ name: `${name}.${"n".repeat(200)}`, phase, startedAt: ago(9), phaseStartedAt: ago(8) },
    ...{ fromVersion: "v1.34.1+rke2r1", message: "m".repeat(256), reason: "InstallerFailed" },
  });
  const entries = [
    ...Array.from({ length: 19 }, (_, index) => entry(`failed-${index}`, "Failed")),
    ...Array.from({ length: 50 }, (_, index) => entry(`work-${index}`, "Upgrading")),
  ];
  const report = { uid: "u", attempt: 1, exitCode: 9, output: long.slice(0, 4096), installer: "Failed" };
  const nodes = entries.map(({ name }) => {
    const one = node(name, { cordoned: true, ours: true });
    one.metadata.annotations = {
      ...one.metadata.annotations,
      [REPORT_ANNOTATION]: JSON.stringify({ ...report, installerMessage: long.slice(0, 1024) }),
    };
    return one;
  });
  const plan = planUpgrade(upgrade(entries, { onFailure: "Continue", maxUnavailable: 50 }), state(nodes));
  expect(plan.nodes).toHaveLength(69);
  expect(JSON.stringify(plan.nodes).length).toBeLessThan(90_000);
});

test("only a node that this upgrade cordoned is uncordoned", () => {
  const entries = at("Uncordoning", { reason: "Timeout" });
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
    expect(nodes[0]).toMatchObject({ phase: "Upgrading" });
    expect(nodes[0]).not.toHaveProperty("attempt");
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
