import { agentToken, bindAgent, clientWith, installAgentRights, makeUser } from "../../test/harness/agent";
import { startCoordinatorFixture, type CoordinatorFixture } from "../../test/harness/coordinator";
import { waitFor } from "../../test/harness/fault-proxy";
import { ORDER_ANNOTATION, REPORT_ANNOTATION } from "../../api/upgrade-annotations";
import { ApiError, Recorder, type ApiClient, type PatchType } from "../runtime";
import { AGENT_CONDITIONS, AGENT_LABELS } from "./admission";
import { NODES, UPGRADES, USERS, type UpgradeObject } from "./kinds";
import { NodeConditions } from "./node-conditions";
import { ReportWriter } from "./upgrade/status";
import { UserStatusWriter } from "./users/status";

const NODE = "/api/v1/nodes";
const OURS = "/apis/fleetwright.dev/v1";
const EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events";
const [LABEL = "", OTHER_LABEL = ""] = AGENT_LABELS;
const [CONDITION = ""] = AGENT_CONDITIONS;

const INSTALLER = { url: "https://a.test/x", digest: `sha256:${"0".repeat(64)}` };

let fixture: CoordinatorFixture;
/** With a token of the agent's pod on node "a"; but for the admission policies it may do everything. */
let agent: ApiClient;
/** With a token of the agent's account that is bound to no pod. */
let unbound: ApiClient;

interface Write {
  method?: "PATCH" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  type?: PatchType;
}

/** Why the server refuses a write; undefined if it does not. Nothing is stored. */
async function refusal(client: ApiClient, write: Write): Promise<string | undefined> {
  const types = { merge: "merge-patch+json", json: "json-patch+json", apply: "apply-patch+yaml" };
  const { method = "PATCH", path, body, type = "merge" } = write;
  try {
    await client.request({
      method,
      path,
      body,
      query: { dryRun: "All", ...(type === "apply" ? { fieldManager: "test", force: true } : {}) },
      ...(method === "PATCH" ? { contentType: `application/${types[type]}` } : {}),
    });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
}

const event = (regarding: object, more: object = {}): object => ({
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  metadata: { generateName: "x", namespace: "default" },
  eventTime: "2026-01-01T00:00:00.000000Z",
  type: "Warning",
  reason: "TamperingUndone",
  action: "Restore",
  note: "x",
  reportingController: "fleetwright.dev/agent",
  reportingInstance: "a",
  regarding,
  ...more,
});
const condition = (type: string): object => ({
  status: { conditions: [{ type, status: "True", reason: "Because", message: "x" }] },
});
const labels = (found: Record<string, string | null>): object => ({ metadata: { labels: found } });
const annotations = (found: Record<string, string | null>): object => ({ metadata: { annotations: found } });
const failures = (...nodes: string[]): object => ({
  status: { failures: nodes.map((node) => ({ node, reason: "AccountExists", message: "x" })) },
});

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false } });
  const { direct } = fixture;
  for (const name of ["a", "b"]) {
    await direct.create(NODES, {
      metadata: { name, labels: { mine: "yes", [OTHER_LABEL]: "there" }, annotations: { mine: "yes" } },
    });
    await direct.patch(NODES, { name }, condition("Ready"), { subresource: "status" });
  }
  await makeUser(fixture, { name: "ada" });
  await direct.patch(
    USERS,
    { name: "ada" },
    { status: { keys: 1, failures: [{ node: "b", reason: "HomeExists", message: "" }] } },
    { subresource: "status" },
  );
  await direct.create(UPGRADES, {
    metadata: { name: "up" },
    spec: { version: "v1.36.0+rke2r1", installer: INSTALLER },
  } as UpgradeObject);
  await direct.request({
    method: "POST",
    path: EVENTS,
    body: event(
      { kind: "Node", name: "b" },
      { metadata: { name: "of-b", namespace: "default" }, reportingInstance: "b" },
    ),
  });
  await installAgentRights(fixture);
  // What RBAC forbids besides must not be what the table shows.
  await bindAgent(fixture, "cluster-admin");
  agent = clientWith(fixture, await agentToken(fixture, "a"));
  unbound = clientWith(fixture, await agentToken(fixture, undefined));
  const first: Write[] = [
    { path: `${NODE}/b`, body: labels({ x: "y" }) },
    { path: `${OURS}/users/ada`, body: { spec: { sudo: true } } },
    { method: "POST", path: EVENTS, body: event({ kind: "Node", name: "b" }) },
  ];
  for (const write of first)
    await waitFor("the policies to be in force", async () =>
      (await refusal(agent, write))?.includes("fleetwright-agent-"),
    );
});
afterAll(() => fixture.close());

const NODE_B = /only the Node that it runs on/;
test.each<[string, Write, RegExp]>([
  ["a label of another node", { path: `${NODE}/b`, body: labels({ [LABEL]: "x" }) }, NODE_B],
  [
    "a report for another node",
    { path: `${NODE}/b`, body: annotations({ [REPORT_ANNOTATION]: "{}" }) },
    NODE_B,
  ],
  ["a condition of another node", { path: `${NODE}/b/status`, body: condition(CONDITION) }, NODE_B],
  [
    "a condition of another node, applied",
    {
      path: `${NODE}/b/status`,
      type: "apply",
      body: { apiVersion: "v1", kind: "Node", metadata: { name: "b" }, ...condition(CONDITION) },
    },
    NODE_B,
  ],
  [
    "a taint on another node",
    { path: `${NODE}/b`, body: { spec: { taints: [{ key: "x", effect: "NoExecute" }] } } },
    NODE_B,
  ],
  ["another node's end", { method: "DELETE", path: `${NODE}/b` }, NODE_B],
  ["its own node's end", { method: "DELETE", path: `${NODE}/a` }, NODE_B],
  [
    "a new node",
    { method: "POST", path: NODE, body: { apiVersion: "v1", kind: "Node", metadata: { name: "a2" } } },
    NODE_B,
  ],
  [
    "a taint on its own node",
    { path: `${NODE}/a`, body: { spec: { taints: [{ key: "x", effect: "NoExecute" }] } } },
    /may not change the spec/,
  ],
  [
    "its own node cordoned",
    { path: `${NODE}/a`, body: { spec: { unschedulable: true } } },
    /may not change the spec/,
  ],
  [
    "a finalizer",
    { path: `${NODE}/a`, body: { metadata: { finalizers: ["a.b/c"] } } },
    /finalizers or owners/,
  ],
  [
    "an owner",
    {
      path: `${NODE}/a`,
      body: { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "b", uid: "x" }] } },
    },
    /finalizers or owners/,
  ],
  [
    "a label that is not an agent's",
    { path: `${NODE}/a`, body: labels({ role: "x" }) },
    /may only add the labels/,
  ],
  [
    "another value for a label that is there",
    { path: `${NODE}/a`, body: labels({ [OTHER_LABEL]: "x" }) },
    /may only add the labels/,
  ],
  ["a label taken away", { path: `${NODE}/a`, body: labels({ mine: null }) }, /may only add the labels/],
  [
    "a label by way of the status",
    { path: `${NODE}/a/status`, body: labels({ role: "x" }) },
    /may only add the labels/,
  ],
  [
    "an order to itself",
    { path: `${NODE}/a`, body: annotations({ [ORDER_ANNOTATION]: "{}" }) },
    /no annotation/,
  ],
  [
    "an annotation of others taken away",
    { path: `${NODE}/a`, body: annotations({ mine: null }) },
    /no annotation/,
  ],
  [
    "an annotation by way of the status",
    { path: `${NODE}/a/status`, body: annotations({ x: "y" }) },
    /no annotation/,
  ],
  [
    "the condition Ready",
    {
      path: `${NODE}/a/status`,
      type: "apply",
      body: {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "a" },
        ...condition("Ready"),
        ...{ status: { conditions: [{ type: "Ready", status: "False" }] } },
      },
    },
    /nothing in the status/,
  ],
  [
    "all conditions taken away",
    { path: `${NODE}/a/status`, type: "json", body: [{ op: "remove", path: "/status/conditions" }] },
    /nothing in the status/,
  ],
  [
    "its node's capacity",
    { path: `${NODE}/a/status`, body: { status: { capacity: { cpu: "100" } } } },
    /nothing in the status/,
  ],
  [
    "its node's addresses",
    {
      path: `${NODE}/a/status`,
      body: { status: { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] } },
    },
    /nothing in the status/,
  ],
  [
    "the entry of another node on a User",
    { path: `${OURS}/users/ada/status`, body: failures("c", "b") },
    /entry of its own node/,
  ],
  [
    "the entry of another node taken away",
    { path: `${OURS}/users/ada/status`, body: failures("a") },
    /entry of its own node/,
  ],
  [
    "the keys of a User",
    { path: `${OURS}/users/ada/status`, body: { status: { keys: 7 } } },
    /entry of its own node/,
  ],
  [
    "the condition of a User",
    {
      path: `${OURS}/users/ada/status`,
      body: {
        status: {
          conditions: [
            {
              type: "Ready",
              status: "True",
              reason: "X",
              message: "",
              lastTransitionTime: "2026-01-01T00:00:00Z",
            },
          ],
        },
      },
    },
    /entry of its own node/,
  ],
  [
    "the spec of a User",
    { path: `${OURS}/users/ada`, body: { spec: { sudo: true } } },
    /none of Fleetwright's objects/,
  ],
  ["a User's end", { method: "DELETE", path: `${OURS}/users/ada` }, /none of Fleetwright's objects/],
  [
    "a ClusterUpgrade",
    { path: `${OURS}/clusterupgrades/up`, body: { spec: { paused: true } } },
    /none of Fleetwright's objects/,
  ],
  [
    "the status of a ClusterUpgrade",
    { path: `${OURS}/clusterupgrades/up/status`, body: { status: { phase: "Failed" } } },
    /none of Fleetwright's objects/,
  ],
  [
    "a ClusterUpgrade of its own",
    {
      method: "POST",
      path: `${OURS}/clusterupgrades`,
      body: {
        apiVersion: "fleetwright.dev/v1",
        kind: "ClusterUpgrade",
        metadata: { name: "mine" },
        spec: { version: "v1.36.0+rke2r1", installer: INSTALLER },
      },
    },
    /none of Fleetwright's objects/,
  ],
  [
    "an event about another node",
    { method: "POST", path: EVENTS, body: event({ kind: "Node", name: "b" }) },
    /its own Node or about Users/,
  ],
  [
    "an event about a pod",
    { method: "POST", path: EVENTS, body: event({ kind: "Pod", name: "a" }) },
    /its own Node or about Users/,
  ],
  [
    "an event in another's name",
    { method: "POST", path: EVENTS, body: event({ kind: "Node", name: "a" }, { reportingInstance: "b" }) },
    /in its own name/,
  ],
  [
    "a count in another's event",
    {
      path: `${EVENTS}/of-b`,
      body: { series: { count: 5, lastObservedTime: "2026-01-01T00:00:00.000000Z" } },
    },
    /in its own name/,
  ],
])("the agent of one node is refused %s", async (_what, write, words) => {
  const said = await refusal(agent, write);
  expect(said).toMatch(/^(403|422) /);
  expect(said).toMatch(words);
});

const ALLOWED: [string, Write][] = [
  ["a label that is missing", { path: `${NODE}/a`, body: labels({ [LABEL]: "x" }) }],
  [
    "labels, applied beside those that are there",
    {
      path: `${NODE}/a`,
      type: "apply",
      body: {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "a", labels: { [LABEL]: "x", [OTHER_LABEL]: "there" } },
      },
    },
  ],
  ["its report", { path: `${NODE}/a`, body: annotations({ [REPORT_ANNOTATION]: "{}" }) }],
  [
    "a condition of its own",
    {
      path: `${NODE}/a/status`,
      type: "apply",
      body: { apiVersion: "v1", kind: "Node", metadata: { name: "a" }, ...condition(CONDITION) },
    },
  ],
  [
    "its entry on a User",
    {
      path: `${OURS}/users/ada/status`,
      type: "apply",
      body: { apiVersion: "fleetwright.dev/v1", kind: "User", metadata: { name: "ada" }, ...failures("a") },
    },
  ],
  ["an event about its node", { method: "POST", path: EVENTS, body: event({ kind: "Node", name: "a" }) }],
  [
    "an event about a User",
    {
      method: "POST",
      path: EVENTS,
      body: event({ kind: "User", apiVersion: "fleetwright.dev/v1", name: "ada" }),
    },
  ],
];

test.each(ALLOWED)("the agent of a node may write %s", async (_what, write) => {
  expect(await refusal(agent, write)).toBeUndefined();
});

test.each(ALLOWED)("a token that is bound to no pod may not write %s", async (_what, write) => {
  expect(await refusal(unbound, write)).toMatch(/The agent's token names no node/);
});

test("whoever else writes is not concerned", async () => {
  expect(await refusal(fixture.direct, { path: `${NODE}/b`, body: labels({ x: "y" }) })).toBeUndefined();
});

test("all that the agent's own code writes passes, first and again", async () => {
  const { signal } = new AbortController();
  const node = await fixture.direct.get(NODES, { name: "a" });
  const conditions = new NodeConditions(agent, "fleetwright-agent-facts", AGENT_CONDITIONS);
  const states = (bad: boolean) =>
    Object.fromEntries(AGENT_CONDITIONS.map((type) => [type, { bad, reason: "R", message: "m" }]));
  await conditions.write(node, states(true), signal);
  await conditions.write(await fixture.direct.get(NODES, { name: "a" }), states(false), signal);
  await conditions.write(await fixture.direct.get(NODES, { name: "a" }), {}, signal);
  const reports = new ReportWriter(agent);
  await reports.write(node, "u1", { installer: "Running" }, signal);
  await reports.write(node, "u1", { installer: "Succeeded" }, signal);
  expect(
    (await fixture.direct.get(NODES, { name: "a" })).metadata.annotations?.[REPORT_ANNOTATION],
  ).toContain("Succeeded");
  const failed = { reason: "HomeExists", message: "x" };
  let failure: typeof failed | undefined = failed;
  const user = async () => fixture.direct.get(USERS, { name: "ada" });
  let live = await user();
  const login = { name: "ada", fullName: "", sudo: false, keys: [] };
  const writer = new UserStatusWriter(agent, { get: () => live } as never, "a", {
    results: () => new Map([["ada", { login }]]),
    failureOf: () => failure,
  });
  const context = { signal, clock: agent.clock, log: { warn: fail } as never };
  await writer.reconcile("ada", context);
  live = await user();
  expect(live.status?.failures?.map(({ node: name }) => name).sort()).toEqual(["a", "b"]);
  failure = undefined;
  await writer.reconcile("ada", context);
  expect((await user()).status?.failures?.map(({ node: name }) => name)).toEqual(["b"]);
  const recorder = new Recorder(agent, { controller: "fleetwright.dev/agent", instance: "a", flushMs: 1 });
  for (let round = 0; round < 2; round++)
    recorder.record(USERS, live, { type: "Warning", reason: "R", action: "A", note: "n" });
  await recorder.flush();
  const { items } = await fixture.direct.request<{
    items: { reportingInstance: string; series?: { count: number } }[];
  }>({
    method: "GET",
    path: EVENTS,
  });
  expect(items.find(({ reportingInstance }) => reportingInstance === "a")?.series?.count).toBe(2);

  function fail(text: string): never {
    throw new Error(text);
  }
});
