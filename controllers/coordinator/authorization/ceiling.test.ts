// Roles that cannot be climbed, on the real API server: what goes beyond the ceiling is refused by the coordinator, which
// explains it, and by the API server if the coordinator were wrong.
import {
  AUTHORIZATION_ACCOUNT,
  CLUSTER_AUTHORIZATION_ACCOUNT,
  COORDINATOR_ACCOUNT,
  accountUser,
} from "../../../api";
import { startCoordinatorFixture, type CoordinatorFixture } from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { ApiError, type ApiClient, type KubernetesObject } from "../../runtime";
import { ROLE_BINDINGS, ROLES } from "../kinds";
import { NAMESPACES } from "../native-resources";
import type { Rule } from "./escalation";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, NATIVE_ROLE_BINDINGS } from "./rbac-resources";
import { POWERS_ABOVE } from "./testing/powers";

let fixture: CoordinatorFixture;
/** With the rights of the accounts that write roles: as the coordinator would, if it did not look before. */
let account: ApiClient;
let clusterAccount: ApiClient;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false } });
  await fixture.direct.create(NAMESPACES, { metadata: { name: "fleetwright-users" } });
  account = fixture.direct.actingAs(accountUser(AUTHORIZATION_ACCOUNT));
  clusterAccount = fixture.direct.actingAs(accountUser(CLUSTER_AUTHORIZATION_ACCOUNT));
  await fixture.start({ controllers: "authorization" });
});
afterAll(() => fixture.close());

const declareRole = (name: string, rules: readonly Rule[]): Promise<unknown> =>
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
const declareBinding = (name: string, role: string, namespace?: string): Promise<unknown> =>
  fixture.direct.create(ROLE_BINDINGS, {
    metadata: { name },
    spec: { role, user: "mallory", ...(namespace === undefined ? {} : { namespace }) },
  });

type Conditioned = KubernetesObject & {
  status?: { conditions?: { type: string; reason: string; message: string }[] | undefined };
};
async function readyOf(
  resource: typeof ROLES | typeof ROLE_BINDINGS,
  name: string,
  reason: string,
): Promise<string> {
  let message = "";
  await waitFor(`${name} to say ${reason}`, async () => {
    const found = await fixture.direct.get<Conditioned>(resource, { name });
    const ready = found.status?.conditions?.find(({ type }) => type === "Ready");
    message = ready?.message ?? "";
    return ready?.reason === reason;
  });
  return message;
}

/** What the API server says against a write; undefined if nothing. */
async function refusal(write: Promise<unknown>): Promise<string | undefined> {
  try {
    await write;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return error.status.message ?? "";
    throw error;
  }
}
const writeRole = (name: string, rules: readonly Rule[]): Promise<unknown> =>
  account.create(CLUSTER_ROLES, { metadata: { name: `fleetwright:${name}` }, rules: [...rules] });
const bindingOf = (
  role: string,
  subject: { kind: string; name: string; namespace?: string } = { kind: "User", name: "mallory" },
): { roleRef: { apiGroup: string; kind: string; name: string }; subjects: never[] } => ({
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
  subjects: [
    {
      ...(subject.kind === "ServiceAccount" ? {} : { apiGroup: "rbac.authorization.k8s.io" }),
      ...subject,
    } as never,
  ],
});

test("the attack: a role that makes Secrets everywhere, to read the coordinator's token out of one, ends in a refusal", async () => {
  const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["create", "patch"] }];
  await declareRole("attack", rules);
  await declareBinding("attack", "attack");
  expect(await readyOf(ROLES, "attack", "Refused")).toContain("create, patch on secrets");
  await readyOf(ROLE_BINDINGS, "attack", "Refused");
  const mallory = fixture.direct.actingAs("mallory");
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/service-account-token",
    metadata: {
      name: "token",
      annotations: { "kubernetes.io/service-account.name": "fleetwright-authorization" },
    },
  };
  expect(
    await refusal(
      mallory.request({
        method: "PATCH",
        path: `/api/v1/namespaces/${fixture.home}/secrets/token`,
        query: { fieldManager: "mallory" },
        contentType: "application/apply-patch+yaml",
        body: secret,
      }),
    ),
  ).toContain('cannot patch resource "secrets"');
  // Had the coordinator written it nevertheless, the API server would not have taken it.
  expect(await refusal(writeRole("attack-by-mistake", rules))).toContain("not currently held");
});

describe("each power above the ceiling", () => {
  test.each(POWERS_ABOVE.map((power, index) => ({ ...power, index })))(
    "$what: the role is refused with a reason, and by the API server if written by mistake",
    async ({ rules, right, index }) => {
      const name = `power-${index}`;
      await declareRole(name, rules);
      expect(await readyOf(ROLES, name, "Refused")).toContain(right);
      expect((await fixture.direct.get(CLUSTER_ROLES, { name: `fleetwright:${name}` })).rules ?? []).toEqual(
        [],
      );
      expect(await refusal(writeRole(`${name}-by-mistake`, rules))).toMatch(
        /not currently held|no more than get, list and watch/,
      );
    },
  );
});

describe("what is given in single namespaces only", () => {
  const shell = [{ apiGroups: [""], resources: ["pods/exec"], verbs: ["get", "create"] }];
  beforeAll(async () => {
    await declareRole("shell", shell);
    await readyOf(ROLES, "shell", "InPlace");
  });

  test("is given in one", async () => {
    const namespace = await fixture.namespace();
    await declareBinding("shell-here", "shell", namespace);
    await readyOf(ROLE_BINDINGS, "shell-here", "InPlace");
  });

  test.each([
    ["everywhere", undefined],
    ["in the product's namespace", "fleetwright-system"],
    ["in kube-system", "kube-system"],
    ["among the accounts of people", "fleetwright-users"],
  ])("is refused %s", async (what, namespace) => {
    const name = `shell-${what.replaceAll(/[^a-z]/g, "-")}`;
    if (namespace === "fleetwright-users")
      await expect(declareBinding(name, "shell", namespace)).rejects.toThrow(/must not be fleetwright-users/);
    else {
      await declareBinding(name, "shell", namespace);
      await readyOf(ROLE_BINDINGS, name, "Refused");
    }
    // And by the API server, whichever account would write it.
    const object = {
      metadata: { name: `fleetwright:${name}-by-mistake` },
      ...bindingOf("fleetwright:shell"),
    };
    for (const client of [account, clusterAccount]) {
      const write =
        namespace === undefined
          ? client.create(CLUSTER_ROLE_BINDINGS, object)
          : client.create(NATIVE_ROLE_BINDINGS, { ...object, metadata: { ...object.metadata, namespace } });
      expect(await refusal(write)).toMatch(
        /not currently held|is protected|cannot create resource "clusterrolebindings"/,
      );
    }
  });

  test("is withdrawn when an administrator protects the namespace", async () => {
    const namespace = await fixture.namespace();
    await declareBinding("shell-labelled", "shell", namespace);
    await readyOf(ROLE_BINDINGS, "shell-labelled", "InPlace");
    await fixture.direct.patch(
      NAMESPACES,
      { name: namespace },
      { metadata: { labels: { "fleetwright.dev/protected": "true" } } },
    );
    await readyOf(ROLE_BINDINGS, "shell-labelled", "Refused");
    expect(
      await refusal(
        account.create(NATIVE_ROLE_BINDINGS, {
          metadata: { name: "fleetwright:labelled-by-mistake", namespace },
          ...bindingOf("fleetwright:shell"),
        }),
      ),
    ).toContain("is protected");
  });
});

describe("the accounts that write roles hold the ceiling to give it, and not to use it", () => {
  test.each<[string, () => Promise<unknown>, RegExp]>([
    [
      "run a pod",
      () =>
        account.request({
          method: "POST",
          path: "/api/v1/namespaces/default/pods",
          body: { metadata: { name: "a" }, spec: { containers: [{ name: "a", image: "a.test/a" }] } },
        }),
      /nothing but ClusterRoles and bindings/,
    ],
    [
      "write a ConfigMap",
      () =>
        clusterAccount.request({
          method: "POST",
          path: "/api/v1/namespaces/default/configmaps",
          body: { metadata: { name: "a" } },
        }),
      /nothing but ClusterRoles and bindings/,
    ],
    [
      "write a ClusterRole of another name",
      () => account.create(CLUSTER_ROLES, { metadata: { name: "other" }, rules: [] }),
      /names begin with fleetwright:/,
    ],
    [
      "delete a ClusterRole of another name",
      () => account.delete(CLUSTER_ROLES, { name: "view" }),
      /names begin with fleetwright:/,
    ],
    [
      "change the ceiling",
      () =>
        account.patch(
          CLUSTER_ROLES,
          { name: "fleetwright-authorization-ceiling" },
          { metadata: { labels: { a: "b" } } },
        ),
      /names begin with fleetwright:/,
    ],
    [
      "give a role that stands for no AuthorizationRole",
      () =>
        clusterAccount.create(CLUSTER_ROLE_BINDINGS, {
          metadata: { name: "fleetwright:x" },
          ...bindingOf("system:discovery"),
        }),
      /gives only roles that stand for/,
    ],
    ...[
      { kind: "User", name: "system:anonymous" },
      { kind: "User", name: "eks:someone" },
      { kind: "Group", name: "system:authenticated" },
      { kind: "ServiceAccount", name: "default", namespace: "default" },
    ].map((subject): [string, () => Promise<unknown>, RegExp] => [
      `give a role to ${subject.kind} ${subject.name}`,
      () =>
        clusterAccount.create(CLUSTER_ROLE_BINDINGS, {
          metadata: { name: "fleetwright:x" },
          ...bindingOf("fleetwright:reader", subject),
        }),
      /only to people/,
    ]),
  ])("they cannot %s", async (_what, write, words) => {
    await fixture.direct
      .create(CLUSTER_ROLES, { metadata: { name: "fleetwright:reader" }, rules: [] })
      .catch(() => {});
    // The API server's own caches hear of a new role a little later.
    await waitFor("the refusal", async () => words.test((await refusal(write()).catch(() => "")) ?? ""));
  });
});

test("the coordinator writes pull secrets everywhere, but no Secret that is worth a token", async () => {
  const user = accountUser(COORDINATOR_ACCOUNT);
  await fixture.direct.create(CLUSTER_ROLES, {
    metadata: { name: "secrets" },
    rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["create"] }],
  });
  await fixture.direct.create(CLUSTER_ROLE_BINDINGS, {
    metadata: { name: "secrets" },
    ...bindingOf("secrets", { kind: "User", name: user }),
  });
  const write = (namespace: string, type: string, data: object = {}): Promise<string | undefined> =>
    refusal(
      fixture.direct.actingAs(user).request({
        method: "POST",
        path: `/api/v1/namespaces/${namespace}/secrets`,
        body: { metadata: { generateName: "a-" }, type, ...data },
      }),
    );
  const pull = { stringData: { ".dockerconfigjson": "{}" } };
  await waitFor(
    "its right",
    async () => (await write("default", "kubernetes.io/dockerconfigjson", pull)) === undefined,
  );
  expect(await write(fixture.home, "fleetwright.dev/plugin-revision")).toBeUndefined();
  const token = { metadata: { name: "a", annotations: { "kubernetes.io/service-account.name": "default" } } };
  for (const namespace of ["kube-system", "default", fixture.home])
    expect(await write(namespace, "kubernetes.io/service-account-token", token)).toContain(
      "the coordinator writes no Secret of the type kubernetes.io/service-account-token",
    );
  expect(await write("kube-system", "bootstrap.kubernetes.io/token")).toContain("writes no Secret");
  expect(await write("default", "fleetwright.dev/plugin-revision")).toContain("writes no Secret");
});

test("who raises the ceiling is heard at once, and who lowers it too", async () => {
  const rules = [{ apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get"] }];
  await declareRole("widgets", rules);
  await declareBinding("widgets", "widgets");
  await readyOf(ROLES, "widgets", "Refused");
  await readyOf(ROLE_BINDINGS, "widgets", "Refused");
  await fixture.applyCeiling({ cluster: rules });
  await readyOf(ROLES, "widgets", "InPlace");
  await readyOf(ROLE_BINDINGS, "widgets", "InPlace");
  await fixture.applyCeiling();
  await readyOf(ROLES, "widgets", "Refused");
  await readyOf(ROLE_BINDINGS, "widgets", "Refused");
  expect((await fixture.direct.get(CLUSTER_ROLES, { name: "fleetwright:widgets" })).rules ?? []).toEqual([]);
});

test("what the API server refuses although we would allow it is said, and withdrawn", async () => {
  const narrow = [{ apiGroups: ["example.com"], resources: ["gadgets"], verbs: ["get"] }];
  await fixture.applyCeiling({ cluster: narrow });
  await declareRole("gadgets", narrow);
  await declareBinding("gadgets", "gadgets");
  await readyOf(ROLE_BINDINGS, "gadgets", "InPlace");
  // The ceiling says yes, but the account does not have it any more.
  const ref = { name: "fleetwright-authorization-ceiling" };
  const held = await fixture.direct.get(CLUSTER_ROLE_BINDINGS, ref);
  await fixture.direct.delete(CLUSTER_ROLE_BINDINGS, ref);
  await waitFor("the right to be gone", async () =>
    (await refusal(writeRole("gadgets-by-mistake", narrow)).catch(() => ""))?.includes("not currently held"),
  );
  const wider = [...narrow, { apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }];
  await fixture.direct.patch(ROLES, { name: "gadgets" }, { spec: { rules: wider } });
  const message = await readyOf(ROLES, "gadgets", "RefusedByServer");
  expect(message).toMatch(/not currently held.*configmaps.*fleetwright:roleCeiling/);
  await waitFor("the old rules to be withdrawn", async () => {
    const { rules } = await fixture.direct.get(CLUSTER_ROLES, { name: "fleetwright:gadgets" });
    return (rules ?? []).length === 0;
  });
  const { roleRef, subjects = [] } = held;
  await fixture.direct.create(CLUSTER_ROLE_BINDINGS, { metadata: ref, roleRef, subjects });
  // A change of the role is tried at once.
  await fixture.direct.patch(ROLES, { name: "gadgets" }, { spec: { description: "again" } });
  await readyOf(ROLES, "gadgets", "InPlace");
  await fixture.applyCeiling();
});

test("without a ceiling nothing changes, and it is said what is missing", async () => {
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  await declareRole("steady", rules);
  await readyOf(ROLES, "steady", "InPlace");
  await fixture.direct.delete(CLUSTER_ROLES, { name: "fleetwright-authorization-cluster-ceiling" });
  expect(await readyOf(ROLES, "steady", "CeilingMissing")).toContain("run pulumi up");
  expect((await fixture.direct.get(CLUSTER_ROLES, { name: "fleetwright:steady" })).rules).toEqual(rules);
  await fixture.applyCeiling();
  await readyOf(ROLES, "steady", "InPlace");
});
