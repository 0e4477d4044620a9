// The admission policy for protected namespaces, on the real API server: whatever rights people have, they change nothing there and
// get into nothing; administrators, the cluster and our programs do.
import { randomBytes } from "node:crypto";
import { PROTECTED_NAMESPACES } from "../../../api";
import { startCoordinatorFixture, type CoordinatorFixture } from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { ApiClient, ApiError, isNotFound, kubeconfigCredentials } from "../../runtime";
import { NAMESPACES } from "../native-resources";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from "./rbac-resources";

const EXTRA = "cert-manager";
const PLACES = [...PROTECTED_NAMESPACES, EXTRA];
const RBAC = "rbac.authorization.k8s.io";

let fixture: CoordinatorFixture;
const clients: ApiClient[] = [];
/** Has rights on pods, workloads, accounts and tokens everywhere, natively. */
let person: ApiClient;
/** The same, by the account that stands for a person. */
let account: ApiClient;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ nodes: 1 });
  const there = (
    await fixture.direct.request<{ items: { metadata: { name: string } }[] }>({
      method: "GET",
      path: "/api/v1/namespaces",
    })
  ).items.map(({ metadata }) => metadata.name);
  for (const name of PLACES.filter((one) => !there.includes(one)))
    await fixture.direct.create(NAMESPACES, {
      metadata: { name, labels: name === EXTRA ? { "fleetwright.dev/protected": "true" } : {} },
    });
  const subjects = [
    { apiGroup: RBAC, kind: "User", name: "jane" },
    { apiGroup: RBAC, kind: "User", name: "system:serviceaccount:fleetwright-users:jane" },
    { apiGroup: RBAC, kind: "User", name: "system:serviceaccount:fleetwright-users:grant-1" },
    { apiGroup: RBAC, kind: "User", name: "system:serviceaccount:builds:builder" },
  ];
  const everything = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
  await fixture.direct.create(CLUSTER_ROLES, {
    metadata: { name: "much" },
    rules: [
      {
        apiGroups: ["", "apps", "batch", RBAC],
        resources: [
          "configmaps",
          "deployments",
          "jobs",
          "pods",
          "pods/attach",
          "pods/ephemeralcontainers",
          "pods/exec",
          "pods/portforward",
          "pods/proxy",
          "rolebindings",
          "secrets",
          "serviceaccounts",
          "serviceaccounts/token",
        ],
        verbs: everything,
      },
    ],
  });
  await fixture.direct.create(CLUSTER_ROLE_BINDINGS, {
    metadata: { name: "much" },
    roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: "much" },
    subjects,
  });
  person = await as("jane");
  account = fixture.direct.actingAs("system:serviceaccount:fleetwright-users:jane");
  for (const namespace of [...PLACES, "default"]) {
    await waitFor(`the service account of ${namespace}`, () =>
      request(fixture.direct, "GET", namespace, "serviceaccounts/default").then((code) => code === 200),
    );
    expect(await request(fixture.direct, "POST", namespace, "pods", podNamed("target"))).toBe(201);
  }
  await waitFor("jane's rights", () =>
    request(person, "GET", "default", "pods/target").then((code) => code === 200),
  );
  // Policies take effect a little after they are written.
  await waitFor("the policies", () =>
    request(person, "POST", EXTRA, "configmaps", { metadata: { generateName: "a-" } }).then(
      (code) => code === 403,
    ),
  );
});
afterAll(async () => {
  clients.forEach((client) => client.close());
  await fixture.close();
});

async function as(user: string, groups: string[] = []): Promise<ApiClient> {
  const client = new ApiClient(kubeconfigCredentials(await fixture.plane.kubeconfigFor(user, groups)), {
    rateLimit: false,
  });
  clients.push(client);
  return client;
}

const podNamed = (name: string): object => ({
  metadata: { name },
  spec: { containers: [{ name: "a", image: "a.test/a" }] },
});
const unique = (): string => `x${randomBytes(4).toString("hex")}`;

/** The status code of an answer, and what was said with it. */
async function ask(
  client: ApiClient,
  method: string,
  namespace: string,
  what: string,
  body?: object,
  query: Record<string, string> = {},
): Promise<{ code: number; message: string }> {
  const group = /^(deployments)/.test(what)
    ? "/apis/apps/v1"
    : what.startsWith("jobs")
      ? "/apis/batch/v1"
      : what.startsWith("rolebindings")
        ? `/apis/${RBAC}/v1`
        : "/api/v1";
  try {
    await client.text({
      method,
      path: `${group}/namespaces/${namespace}/${what}`,
      query,
      ...(body === undefined ? {} : { body }),
      ...(method === "PATCH" ? { contentType: "application/strategic-merge-patch+json" } : {}),
    });
    return { code: method === "POST" ? 201 : 200, message: "" };
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, message: error.status.message ?? "" };
    throw error;
  }
}
async function request(...given: Parameters<typeof ask>): Promise<number> {
  return (await ask(...given)).code;
}

const template = {
  metadata: { labels: { app: "a" } },
  spec: { restartPolicy: "Always", containers: [{ name: "a", image: "a.test/a" }] },
};
/** What people may try, and whether it answers well where it is allowed: simulated nodes have no containers to get into. */
const ATTEMPTS: readonly [
  what: string,
  attempt: (client: ApiClient, namespace: string) => ReturnType<typeof ask>,
][] = [
  ["run a pod", (client, namespace) => ask(client, "POST", namespace, "pods", podNamed(unique()))],
  [
    "change a pod",
    (client, namespace) =>
      ask(client, "PATCH", namespace, "pods/target", { metadata: { labels: { a: unique() } } }),
  ],
  [
    "get into a pod",
    (client, namespace) =>
      ask(client, "POST", namespace, "pods/target/exec", undefined, { command: "sh", container: "a" }),
  ],
  [
    "get into a pod by GET",
    (client, namespace) =>
      ask(client, "GET", namespace, "pods/target/exec", undefined, { command: "sh", container: "a" }),
  ],
  [
    "attach to a pod",
    (client, namespace) =>
      ask(client, "POST", namespace, "pods/target/attach", undefined, { container: "a" }),
  ],
  [
    "reach a port of a pod",
    (client, namespace) =>
      ask(client, "POST", namespace, "pods/target/portforward", undefined, { ports: "80" }),
  ],
  ["ask a pod by the proxy", (client, namespace) => ask(client, "GET", namespace, "pods/target/proxy/")],
  [
    "put a container into a pod",
    (client, namespace) =>
      ask(client, "PATCH", namespace, "pods/target/ephemeralcontainers", {
        spec: { ephemeralContainers: [{ name: unique(), image: "a.test/a" }] },
      }),
  ],
  [
    "run a Deployment",
    (client, namespace) =>
      ask(client, "POST", namespace, "deployments", {
        metadata: { name: unique() },
        spec: { replicas: 0, selector: { matchLabels: { app: "a" } }, template },
      }),
  ],
  [
    "run a Job",
    (client, namespace) =>
      ask(client, "POST", namespace, "jobs", {
        metadata: { name: unique() },
        spec: { suspend: true, template: { spec: { ...template.spec, restartPolicy: "Never" } } },
      }),
  ],
  [
    "make a service account",
    (client, namespace) =>
      ask(client, "POST", namespace, "serviceaccounts", { metadata: { name: unique() } }),
  ],
  [
    "get a token",
    (client, namespace) =>
      ask(client, "POST", namespace, "serviceaccounts/default/token", {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: {},
      }),
  ],
  [
    "make a Secret for a token",
    (client, namespace) =>
      ask(client, "POST", namespace, "secrets", {
        metadata: { name: unique(), annotations: { "kubernetes.io/service-account.name": "default" } },
        type: "kubernetes.io/service-account-token",
      }),
  ],
  [
    "write a ConfigMap",
    (client, namespace) => ask(client, "POST", namespace, "configmaps", { metadata: { name: unique() } }),
  ],
];

const isProtected = ({ code, message }: { code: number; message: string }): boolean =>
  code === 403 && message.includes("is protected, only administrators");

describe.each(ATTEMPTS)("people cannot %s", (what, attempt) => {
  test.each(PLACES)("in %s", async (namespace) => {
    const { code, message } = await attempt(person, namespace);
    expect([code, message.includes(`the namespace ${namespace} is protected`)]).toEqual([403, true]);
    expect(isProtected(await attempt(account, namespace))).toBe(true);
  });

  test("but elsewhere, as far as their roles go", async () => {
    for (const client of [person, account]) {
      const { code, message } = await attempt(client, "default");
      expect(message).not.toMatch(/is protected|cannot/);
      // A simulated node has nothing to get into: then it is the way there that fails.
      if (!/get into|attach|reach|proxy/.test(what)) expect([200, 201]).toContain(code);
    }
  });
});

test("people cannot delete what is there, one by one or all at once", async () => {
  for (const namespace of PLACES) {
    expect(isProtected(await ask(person, "DELETE", namespace, "pods/target"))).toBe(true);
    expect(isProtected(await ask(person, "DELETE", namespace, "pods"))).toBe(true);
    expect(await request(fixture.direct, "GET", namespace, "pods/target")).toBe(200);
  }
});

test("people may look", async () => {
  for (const namespace of PLACES) expect(await request(person, "GET", namespace, "pods/target")).toBe(200);
});

test("tokens of people's accounts are not for people, but for the accounts of grants, which their own policy holds", async () => {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const token = (client: ApiClient, namespace: string): Promise<number> =>
    request(client, "POST", namespace, "serviceaccounts/jane/token", body);
  const grant = fixture.direct.actingAs("system:serviceaccount:fleetwright-users:grant-1");
  for (const namespace of ["fleetwright-users", "kube-system"])
    await request(fixture.direct, "POST", namespace, "serviceaccounts", { metadata: { name: "jane" } });
  expect(await token(grant, "fleetwright-users")).toBe(201);
  expect(await token(grant, "kube-system")).toBe(403);
  for (const client of [account, person]) expect(await token(client, "fleetwright-users")).toBe(403);
});

describe("who is no person goes on", () => {
  test.each<[string, () => Promise<ApiClient>]>([
    ["an administrator", () => Promise.resolve(fixture.direct)],
    ["a service account of the cluster", () => Promise.resolve(asAccount("kube-system", "installer"))],
    ["our programs", () => Promise.resolve(asAccount("fleetwright-system", "fleetwright-coordinator"))],
    ["an account of another namespace", () => Promise.resolve(asAccount("builds", "builder"))],
  ])("%s", async (_who, client) => {
    await allow("system:serviceaccount:kube-system:installer");
    await allow("system:serviceaccount:fleetwright-system:fleetwright-coordinator");
    const writer = await client();
    for (const namespace of PLACES)
      await waitFor("its right", async () => {
        const code = await request(writer, "POST", namespace, "configmaps", { metadata: { name: unique() } });
        return code === 201;
      });
  });

  test("the kubelet reports what became of its pods", async () => {
    const bound = await waitFor("a pod on the node", async () => {
      const pod = await fixture.direct.request<{ spec: { nodeName?: string }; status: { phase?: string } }>({
        method: "GET",
        path: "/api/v1/namespaces/kube-system/pods/target",
      });
      return pod.spec.nodeName;
    });
    const kubelet = await as(`system:node:${bound}`, ["system:nodes"]);
    expect(
      await request(kubelet, "PATCH", "kube-system", "pods/target/status", { status: { reason: "Tested" } }),
    ).toBe(200);
  });

  test("scheduler and controllers work: a Deployment in a protected namespace gets its pod, and what is deleted is collected", async () => {
    const name = unique();
    await request(fixture.direct, "POST", "fleetwright-system", "deployments", {
      metadata: { name },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: name } },
        template: { ...template, metadata: { labels: { app: name } } },
      },
    });
    interface Pods {
      items: { spec: { nodeName?: string } }[];
    }
    const pods = (): Promise<Pods> =>
      fixture.direct.request<Pods>({
        method: "GET",
        path: "/api/v1/namespaces/fleetwright-system/pods",
        query: { labelSelector: `app=${name}` },
      });
    await waitFor("a scheduled pod", async () => (await pods()).items[0]?.spec.nodeName !== undefined);
    await fixture.direct
      .request({
        method: "DELETE",
        path: `/apis/apps/v1/namespaces/fleetwright-system/deployments/${name}`,
        body: { propagationPolicy: "Background" },
      })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    await waitFor("the pod to go", async () => (await pods()).items.length === 0);
  });

  test("who was given the right to use a protected namespace", async () => {
    const joe = await as("joe");
    await fixture.direct.create(CLUSTER_ROLES, {
      metadata: { name: "use" },
      rules: [{ apiGroups: ["fleetwright.dev"], resources: ["protectednamespaces"], verbs: ["use"] }],
    });
    for (const role of ["use", "much"])
      await fixture.direct.request({
        method: "POST",
        path: `/apis/${RBAC}/v1/namespaces/kube-system/rolebindings`,
        body: {
          metadata: { name: `joe-${role}` },
          roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: role },
          subjects: [{ apiGroup: RBAC, kind: "User", name: "joe" }],
        },
      });
    await waitFor("joe's right", async () => {
      const code = await request(joe, "POST", "kube-system", "configmaps", { metadata: { name: unique() } });
      return code === 201;
    });
    expect(
      await request(joe, "POST", "fleetwright-system", "configmaps", { metadata: { name: unique() } }),
    ).toBe(403);
  });
});

function asAccount(namespace: string, name: string): ApiClient {
  return fixture.direct.actingAs(`system:serviceaccount:${namespace}:${name}`);
}

async function allow(user: string): Promise<void> {
  await fixture.direct
    .create(CLUSTER_ROLE_BINDINGS, {
      metadata: { name: `much-${user.replaceAll(":", "-")}` },
      roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: "much" },
      subjects: [{ apiGroup: RBAC, kind: "User", name: user }],
    })
    .catch(() => {});
}
