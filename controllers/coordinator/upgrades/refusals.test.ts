// What an API server says to an eviction, and what becomes of an upgrade then. On the real one, which nobody plays kubelets to.
import {
  AgentStandIn,
  startCoordinatorFixture,
  type CoordinatorFixture,
  type Running,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { ApiError } from "../../runtime";
import { UPGRADES, type UpgradeObject } from "../kinds";
import { NODES } from "../native-resources";

const [FROM, TO] = ["v1.34.1+rke2r1", "v1.35.4+rke2r1"];
const POLICIES = "/apis/admissionregistration.k8s.io/v1";
let fixture: CoordinatorFixture;
let running: Running;
let agent: AgentStandIn;

const send = (method: string, path: string, body?: unknown): Promise<unknown> =>
  fixture.direct.request({ method, path, ...(body === undefined ? {} : { body }) });

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
  await send("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
});
afterAll(() => fixture.close());
beforeEach(async () => {
  agent = new AgentStandIn(fixture.direct);
  await fixture.direct.create(NODES, { metadata: { name: "a" } });
  const status = {
    conditions: [{ type: "Ready", status: "True", reason: "Test" }],
    nodeInfo: { kubeletVersion: FROM },
  };
  await fixture.direct.patch(NODES, { name: "a" }, { status }, { subresource: "status" });
  running = await fixture.start({ controllers: "upgrades" });
});
afterEach(async () => {
  await running.stop();
  await agent.stop();
  await fixture.direct.patch(UPGRADES, { name: "up" }, { metadata: { finalizers: null } }).catch(() => {});
  for (const path of [
    "/api/v1/nodes",
    "/api/v1/namespaces/default/pods?gracePeriodSeconds=0",
    "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
    `${POLICIES}/validatingadmissionpolicybindings`,
    `${POLICIES}/validatingadmissionpolicies`,
    "/apis/fleetwright.dev/v1/clusterupgrades",
  ])
    await send("DELETE", path);
});

const setStatus = (path: string, status: object): Promise<unknown> =>
  fixture.direct.request({
    method: "PATCH",
    path: `${path}/status`,
    contentType: "application/merge-patch+json",
    body: { status },
  });
const labels = { app: "web" };
async function pod(name: string, more: object = {}): Promise<void> {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "x", uid: "1", controller: true };
  await send("POST", "/api/v1/namespaces/default/pods", {
    metadata: { name, labels, ownerReferences: [owner], ...more },
    spec: { nodeName: "a", containers: [{ name: "c", image: "example.com/x:1" }] },
  });
  // Of a pod that does not run yet no budget is asked.
  await setStatus(`/api/v1/namespaces/default/pods/${name}`, {
    phase: "Running",
    conditions: [{ type: "Ready", status: "True" }],
  });
}
async function budget(name: string): Promise<void> {
  await send("POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets", {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name },
    spec: { selector: { matchLabels: labels }, maxUnavailable: 1 },
  });
}
/** A policy of somebody else that allows no eviction. */
async function forbidEvictions(): Promise<void> {
  const name = "no-evictions";
  await send("POST", `${POLICIES}/validatingadmissionpolicies`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods/eviction"] },
        ],
      },
      validations: [{ expression: "false", message: "not while the auditors are here" }],
    },
  });
  await send("POST", `${POLICIES}/validatingadmissionpolicybindings`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"] },
  });
  // A policy takes effect a little after it is written.
  await pod("probe");
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "probe" } };
  await waitFor("evictions to be refused", () =>
    send("POST", "/api/v1/namespaces/default/pods/probe/eviction?dryRun=All", eviction).then(
      () => false,
      (error: unknown) => error instanceof ApiError && error.message.includes("auditors"),
    ),
  );
  await send("DELETE", "/api/v1/namespaces/default/pods/probe?gracePeriodSeconds=0");
}
const SKIP = ["VersionSkew", "Agents"];
const begin = (spec: object = {}): Promise<unknown> =>
  send("POST", "/apis/fleetwright.dev/v1/clusterupgrades", {
    apiVersion: "fleetwright.dev/v1",
    kind: "ClusterUpgrade",
    metadata: { name: "up" },
    spec: {
      version: TO,
      digest: `sha256:${"0".repeat(64)}`,
      preflight: { skip: [...SKIP, "BlockingPods", "PodDisruptionBudgets"] },
      ...spec,
    },
  });
const get = (): Promise<UpgradeObject> => fixture.direct.get(UPGRADES, { name: "up" });
const reaches = (what: (upgrade: UpgradeObject) => boolean): Promise<unknown> =>
  waitFor("it to get there", async () => what(await get()), 60_000).catch(async () => {
    throw new Error(`It did not get there: ${JSON.stringify((await get()).status)}`);
  });
const isCordoned = async (): Promise<boolean> =>
  (await fixture.direct.get(NODES, { name: "a" })).spec?.unschedulable === true;
const says =
  (words: string) =>
  ({ status }: UpgradeObject): boolean =>
    status?.nodes?.[0]?.message?.includes(words) ?? false;

const TWO_BUDGETS = "the API server answers 500: This pod has more than one PodDisruptionBudget";
const REFUSALS: [string, () => Promise<void>, string][] = [
  [
    "500 for two budgets",
    async () => {
      await budget("one");
      await budget("two");
    },
    TWO_BUDGETS,
  ],
  ["a policy's no", forbidEvictions, "not while the auditors are here"],
  [
    "504",
    () => {
      running.proxy.plan = ({ path }) =>
        path.endsWith("/eviction") ? { kind: "status", code: 504 } : undefined;
      return Promise.resolve();
    },
    "the API server answers 504",
  ],
];

describe.each(REFUSALS)("an eviction that is answered with %s", (_what, refuse, words) => {
  beforeEach(async () => {
    await refuse();
    await pod("web");
  });

  test("is recorded with its words, and an abort brings the node back", async () => {
    await begin();
    await reaches(says(`default/web: `));
    await reaches(says(words));
    expect(await isCordoned()).toBe(true);
    await fixture.direct.patch(UPGRADES, { name: "up" }, { spec: { aborted: true } });
    await reaches(({ status }) => status?.phase === "Aborted");
    expect(await isCordoned()).toBe(false);
    expect(agent.upgraded).toEqual([]);
  });

  test("ends at its time, by what was declared for then", async () => {
    await begin({ drain: { timeoutSeconds: 6 } });
    await reaches(({ status }) => status?.phase === "Failed");
    expect((await get()).status?.nodes?.[0]).toMatchObject({
      reason: "DrainTimeout",
      message: expect.stringContaining(words) as string,
    });
    expect(await isCordoned()).toBe(false);
  });

  test("does not hold up a deletion", async () => {
    await begin();
    await reaches(says(words));
    await fixture.direct.delete(UPGRADES, { name: "up" });
    await waitFor("the node to be brought back", async () => !(await isCordoned()), 60_000);
    await waitFor("the upgrade to go", () =>
      get().then(
        () => false,
        (error: unknown) => error instanceof ApiError && error.code === 404,
      ),
    );
  });
});

test("preflight names pods that will block, and nodes without an agent, and begins when they are gone", async () => {
  await budget("one");
  await budget("two");
  await pod("web");
  await pod("alone", { ownerReferences: [], labels: {} });
  await begin({ preflight: { skip: ["VersionSkew"] } });
  await reaches(({ status }) => status?.phase === "Preflight");
  const message = (await get()).status?.conditions?.[0]?.message ?? "";
  expect(message).toContain("default/web, which is under 2 PodDisruptionBudgets (one, two)");
  expect(message).toContain("default/alone, which nothing would make again");
  expect(message).toContain("no agent is Ready on a");
  expect(await isCordoned()).toBe(false);
  await send("POST", "/api/v1/namespaces/fleetwright-system/serviceaccounts", {
    metadata: { name: "default" },
  });
  await send("POST", "/api/v1/namespaces/fleetwright-system/pods", {
    metadata: {
      name: "agent",
      labels: { "app.kubernetes.io/name": "fleetwright-agent" },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "d", uid: "2", controller: true }],
    },
    spec: { nodeName: "a", containers: [{ name: "c", image: "example.com/x:1" }] },
  });
  await setStatus("/api/v1/namespaces/fleetwright-system/pods/agent", {
    conditions: [{ type: "Ready", status: "True" }],
  });
  await send("DELETE", "/api/v1/namespaces/default/pods?gracePeriodSeconds=0");
  await reaches(({ status }) => status?.phase === "Succeeded");
});

test("a stack that declares another version is named, and its agreement lets the upgrade begin", async () => {
  const path = "/api/v1/namespaces/fleetwright-system/configmaps";
  await send("POST", path, {
    metadata: { name: "fleetwright-stack" },
    data: { project: "p", stack: "dev", version: FROM },
  });
  await begin();
  await reaches(({ status }) => status?.phase === "Preflight");
  expect((await get()).status?.conditions?.[0]?.message).toContain(`the stack p/dev declares ${FROM}`);
  await fixture.direct.request({
    method: "PATCH",
    path: `${path}/fleetwright-stack`,
    contentType: "application/merge-patch+json",
    body: { data: { upgradeTo: TO } },
  });
  await reaches(({ status }) => status?.phase === "Succeeded");
  await send("DELETE", `${path}/fleetwright-stack`);
});
