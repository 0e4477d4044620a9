import {
  crashAtEveryWrite,
  quiet,
  startCoordinatorFixture,
  writesWithin,
  type CoordinatorFixture,
  type Running,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import {
  ApiClient,
  kubeconfigCredentials,
  type KubernetesObject,
  type ObjectRef,
  type Resource,
} from "../../runtime";
import { ROLE_BINDINGS, ROLES } from "../kinds";
import { NAMESPACES } from "../native-resources";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, NATIVE_ROLE_BINDINGS } from "./rbac-resources";

let fixture: CoordinatorFixture;
let running: Running;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false } });
  running = await fixture.start({ controllers: "authorization" });
});
afterAll(() => fixture.close());

const PODS = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };
const role = (name: string, ...rules: object[]): Promise<unknown> =>
  fixture.direct.request({
    method: "POST",
    path: "/apis/fleetwright.dev/v1/authorizationroles",
    body: {
      apiVersion: "fleetwright.dev/v1",
      kind: "AuthorizationRole",
      metadata: { name },
      spec: { rules },
    },
  });
const bind = (
  name: string,
  spec: { role: string; user?: string; team?: string; namespace?: string },
): Promise<unknown> => fixture.direct.create(ROLE_BINDINGS, { metadata: { name }, spec });
async function find<T extends KubernetesObject>(
  resource: Resource<T>,
  ref: ObjectRef,
): Promise<T | undefined> {
  return fixture.direct.get(resource, ref).catch(() => undefined);
}
const reason = async (
  resource: typeof ROLES | typeof ROLE_BINDINGS,
  name: string,
): Promise<string | undefined> =>
  (
    await find<
      KubernetesObject & { status?: { conditions?: { type: string; reason: string }[] | undefined } }
    >(resource, { name })
  )?.status?.conditions?.find(({ type }) => type === "Ready")?.reason;
const says = (
  resource: typeof ROLES | typeof ROLE_BINDINGS,
  name: string,
  wanted: string,
): Promise<unknown> =>
  waitFor(`${name} to say ${wanted}`, async () => (await reason(resource, name)) === wanted);

test("a role becomes a ClusterRole, and every field of a changed rule reaches it", async () => {
  await role("reader", PODS, { nonResourceURLs: ["/healthz"], verbs: ["get"] });
  await says(ROLES, "reader", "InPlace");
  expect((await find(CLUSTER_ROLES, { name: "fleetwright:reader" }))?.rules).toEqual([
    PODS,
    { nonResourceURLs: ["/healthz"], verbs: ["get"] },
  ]);
  const changed = [
    { ...PODS, resourceNames: ["a"], verbs: ["get"] },
    { nonResourceURLs: ["/metrics"], verbs: ["get"] },
  ];
  await fixture.direct.patch(ROLES, { name: "reader" }, { spec: { rules: changed } });
  await waitFor("the change", async () =>
    JSON.stringify((await find(CLUSTER_ROLES, { name: "fleetwright:reader" }))?.rules).includes("/metrics"),
  );
  const live = await find(CLUSTER_ROLES, { name: "fleetwright:reader" });
  expect(live?.rules).toMatchObject(changed);
});

test("what somebody changes on it is changed back, and what is deleted comes again", async () => {
  await fixture.direct.patch(
    CLUSTER_ROLES,
    { name: "fleetwright:reader" },
    { rules: [], aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } },
  );
  await waitFor(
    "the rules",
    async () => ((await find(CLUSTER_ROLES, { name: "fleetwright:reader" }))?.rules?.length ?? 0) === 2,
  );
  expect((await find(CLUSTER_ROLES, { name: "fleetwright:reader" }))?.aggregationRule).toBeUndefined();
  await fixture.direct.delete(CLUSTER_ROLES, { name: "fleetwright:reader" });
  await waitFor("it again", () => find(CLUSTER_ROLES, { name: "fleetwright:reader" }));
});

test("a role that leads to more is refused with a reason and gives nothing", async () => {
  await role("sneaky", PODS);
  await says(ROLES, "sneaky", "InPlace");
  await fixture.direct.patch(
    ROLES,
    { name: "sneaky" },
    { spec: { rules: [PODS, { apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] } },
  );
  await says(ROLES, "sneaky", "Refused");
  expect((await find(CLUSTER_ROLES, { name: "fleetwright:sneaky" }))?.rules ?? []).toEqual([]);
  await bind("sneaky", { role: "sneaky", user: "mallory" });
  await says(ROLE_BINDINGS, "sneaky", "Refused");
  expect(await find(CLUSTER_ROLE_BINDINGS, { name: "fleetwright:sneaky" })).toBeUndefined();
});

test("a person and a team get a role, in one namespace or in all, and the API server agrees", async () => {
  const name = await fixture.namespace();
  await role("pods", PODS);
  await bind("one", { role: "pods", user: "ada@example.com", namespace: name });
  await bind("all", { role: "pods", team: "platform" });
  await says(ROLE_BINDINGS, "one", "InPlace");
  await says(ROLE_BINDINGS, "all", "InPlace");
  const may = async (user: string, groups: string[], namespace: string): Promise<boolean> => {
    const client = new ApiClient(kubeconfigCredentials(await fixture.plane.kubeconfigFor(user, groups)));
    const answer = await client.request({ method: "GET", path: `/api/v1/namespaces/${namespace}/pods` }).then(
      () => true,
      () => false,
    );
    client.close();
    return answer;
  };
  await waitFor("ada to see pods", () => may("ada@example.com", [], name));
  expect(await may("ada@example.com", [], "default")).toBe(false);
  await waitFor("the team to see pods", () => may("anyone", ["fleetwright.dev/team:platform"], "default"));
  // Moving it takes the right away where it was.
  await fixture.direct.patch(ROLE_BINDINGS, { name: "one" }, { spec: { namespace: "default" } });
  await waitFor("ada to see the other pods", () => may("ada@example.com", [], "default"));
  expect(await find(NATIVE_ROLE_BINDINGS, { namespace: name, name: "fleetwright:one" })).toBeUndefined();
  // Another role cannot be written into a binding: it is made anew.
  await role("none", { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] });
  await fixture.direct.patch(ROLE_BINDINGS, { name: "one" }, { spec: { role: "none" } });
  await waitFor(
    "the other role",
    async () =>
      (await find(NATIVE_ROLE_BINDINGS, { namespace: "default", name: "fleetwright:one" }))?.roleRef.name ===
      "fleetwright:none",
  );
  await fixture.direct.patch(
    NATIVE_ROLE_BINDINGS,
    { namespace: "default", name: "fleetwright:one" },
    { subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "mallory" }] },
  );
  await waitFor(
    "the subject",
    async () =>
      (await find(NATIVE_ROLE_BINDINGS, { namespace: "default", name: "fleetwright:one" }))?.subjects?.[0]
        ?.name === "ada@example.com",
  );
});

const SHELL = { apiGroups: [""], resources: ["pods/exec"], verbs: ["create"] };
const CLUSTER_ROLE_PATH = "/apis/rbac.authorization.k8s.io/v1/clusterroles/fleetwright%3A";
const CLUSTER_BINDING_PATH = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/fleetwright%3A";

test("a binding that a role's new rules do not allow is withdrawn before the role gets them", async () => {
  await role("widens", PODS);
  await bind("widens", { role: "widens", user: "ada" });
  await says(ROLE_BINDINGS, "widens", "InPlace");
  await fixture.direct.patch(ROLES, { name: "widens" }, { spec: { rules: [PODS, SHELL] } });
  await says(ROLE_BINDINGS, "widens", "Refused");
  await waitFor(
    "the wider rules",
    async () => (await find(CLUSTER_ROLES, { name: "fleetwright:widens" }))?.rules?.length === 2,
  );
  const writes = running.writes();
  const withdrawn = writes.indexOf(`DELETE ${CLUSTER_BINDING_PATH}widens`);
  expect(withdrawn).toBeGreaterThan(-1);
  expect(writes.indexOf(`PATCH ${CLUSTER_ROLE_PATH}widens`)).toBeGreaterThan(withdrawn);
});

test("who is no longer named in a binding does not get what its role gives more, not even if it dies in between", async () => {
  await running.stop();
  const mallory = { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "mallory" };
  /** Whether somebody has now what was never declared for him. */
  const leaks = async (): Promise<boolean> => {
    // In this order: what is there is withdrawn first.
    const wide = (await find(CLUSTER_ROLES, { name: "fleetwright:handover" }))?.rules?.length === 2;
    const live = await find(CLUSTER_ROLE_BINDINGS, { name: "fleetwright:handover" });
    return wide && (live?.subjects ?? []).some(({ name }) => name === mallory.name);
  };
  const watched = { apiGroups: ["apps"], resources: ["deployments"], verbs: ["delete"] };
  const deaths = await crashAtEveryWrite(
    fixture,
    { controllers: "authorization" },
    {
      arrange: async () => {
        const helper = await fixture.start({ controllers: "authorization" });
        await role("handover", PODS);
        await bind("handover", { role: "handover", user: mallory.name });
        await says(ROLE_BINDINGS, "handover", "InPlace");
        await says(ROLES, "handover", "InPlace");
        await helper.stop();
        await fixture.direct.patch(ROLE_BINDINGS, { name: "handover" }, { spec: { user: "ada" } });
        await fixture.direct.patch(ROLES, { name: "handover" }, { spec: { rules: [PODS, watched] } });
      },
      converged: async () => {
        await waitFor("ada to have the wider role", async () => {
          expect(await leaks()).toBe(false);
          const live = await find(CLUSTER_ROLE_BINDINGS, { name: "fleetwright:handover" });
          const given = await find(CLUSTER_ROLES, { name: "fleetwright:handover" });
          return live?.subjects?.[0]?.name === "ada" && given?.rules?.length === 2;
        });
      },
      restore: async () => {
        await fixture.direct.delete(ROLES, { name: "handover" });
        await fixture.direct.delete(ROLE_BINDINGS, { name: "handover" });
        await waitFor(
          "all to go",
          async () =>
            (await find(ROLES, { name: "handover" })) === undefined &&
            (await find(ROLE_BINDINGS, { name: "handover" })) === undefined &&
            (await find(CLUSTER_ROLES, { name: "fleetwright:handover" })) === undefined,
        );
      },
    },
  );
  expect(deaths).toBeGreaterThanOrEqual(2);
  running = await fixture.start({ controllers: "authorization" });
});

test("a binding waits for its role and its namespace", async () => {
  await bind("early", { role: "later", user: "ada", namespace: "not-yet" });
  await says(ROLE_BINDINGS, "early", "RoleMissing");
  await role("later", PODS);
  await says(ROLE_BINDINGS, "early", "NamespaceMissing");
  await fixture.direct.create(NAMESPACES, { metadata: { name: "not-yet" } });
  await says(ROLE_BINDINGS, "early", "InPlace");
  await fixture.direct.delete(ROLES, { name: "later" });
  await says(ROLE_BINDINGS, "early", "RoleMissing");
  await waitFor(
    "the native ones to go",
    async () =>
      (await find(CLUSTER_ROLES, { name: "fleetwright:later" })) === undefined &&
      (await find(NATIVE_ROLE_BINDINGS, { namespace: "not-yet", name: "fleetwright:early" })) === undefined,
  );
});

test("native objects of the same name that somebody else made stay as they are", async () => {
  const theirs = await fixture.direct.create(CLUSTER_ROLES, {
    metadata: { name: "fleetwright:theirs" },
    rules: [PODS],
  });
  await role("theirs", { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] });
  await says(ROLES, "theirs", "ForeignObject");
  await fixture.direct.delete(ROLES, { name: "theirs" });
  await waitFor("the role to go", async () => (await find(ROLES, { name: "theirs" })) === undefined);
  expect((await find(CLUSTER_ROLES, { name: "fleetwright:theirs" }))?.metadata.resourceVersion).toBe(
    theirs.metadata.resourceVersion,
  );
});

test("at rest nothing is written, not even after a new start", async () => {
  await quiet(running);
  expect(await writesWithin(running, 3000)).toEqual([]);
  await running.stop();
  running = await fixture.start({ controllers: "authorization" });
  await quiet(running, 2000);
  expect(running.writes()).toEqual([]);
});

test("whenever it dies, the next one gets there", async () => {
  await running.stop();
  const gone = (): Promise<unknown> =>
    waitFor(
      "all to go",
      async () =>
        (await find(ROLES, { name: "crash" })) === undefined &&
        (await find(ROLE_BINDINGS, { name: "crash" })) === undefined &&
        (await find(CLUSTER_ROLES, { name: "fleetwright:crash" })) === undefined &&
        (await find(CLUSTER_ROLE_BINDINGS, { name: "fleetwright:crash" })) === undefined,
    );
  const deaths = await crashAtEveryWrite(
    fixture,
    { controllers: "authorization" },
    {
      arrange: async () => {
        await role("crash", PODS);
        await bind("crash", { role: "crash", user: "ada" });
      },
      converged: async () => {
        await says(ROLES, "crash", "InPlace");
        await says(ROLE_BINDINGS, "crash", "InPlace");
      },
      restore: async () => {
        await fixture.direct.delete(ROLES, { name: "crash" });
        await fixture.direct.delete(ROLE_BINDINGS, { name: "crash" });
        await gone();
      },
    },
  );
  expect(deaths).toBeGreaterThanOrEqual(6);
  const removals = await crashAtEveryWrite(
    fixture,
    { controllers: "authorization" },
    {
      arrange: async () => {
        const helper = await fixture.start({ controllers: "authorization" });
        await role("crash", PODS);
        await bind("crash", { role: "crash", user: "ada" });
        await says(ROLE_BINDINGS, "crash", "InPlace");
        await says(ROLES, "crash", "InPlace");
        await helper.stop();
        await fixture.direct.delete(ROLES, { name: "crash" });
        await fixture.direct.delete(ROLE_BINDINGS, { name: "crash" });
      },
      converged: async () => {
        await gone();
      },
      restore: async () => {},
    },
  );
  expect(removals).toBeGreaterThanOrEqual(4);
  running = await fixture.start({ controllers: "authorization" });
});
