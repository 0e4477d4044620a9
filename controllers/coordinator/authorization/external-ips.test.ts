// Who has all that roles may give still takes over nobody's traffic (CVE-2020-8554), on the real API server.
import { accountUser, NAMESPACE_CEILING, USERS_NAMESPACE } from "../../../api";
import { startCoordinatorFixture, type CoordinatorFixture } from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { ApiError, type ApiClient } from "../../runtime";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from "./rbac-resources";

const ADDRESS = "198.51.100.7";
const OTHER = "198.51.100.8";
const RBAC = "rbac.authorization.k8s.io";
const PERSON = accountUser("user-mallory", USERS_NAMESPACE);
let fixture: CoordinatorFixture;
let names = 0;
const unique = (): string => `a-${(names += 1)}`;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
  await fixture.direct.create(CLUSTER_ROLES, {
    metadata: { name: "use-external-ips" },
    rules: [{ apiGroups: ["fleetwright.dev"], resources: ["serviceexternalips"], verbs: ["use"] }],
  });
  for (const user of ["mallory", PERSON, "joe"]) await give(user, NAMESPACE_CEILING);
  await give("joe", "use-external-ips");
  // Policies hold a little after they are there.
  for (const user of ["mallory", PERSON])
    await waitFor(`${user} to be refused`, async () =>
      (await claim(as(user), unique()))?.includes("only administrators"),
    );
  await waitFor("joe's right", async () => (await claim(as("joe"), unique())) === undefined);
});
afterAll(() => fixture.close());

async function give(user: string, role: string): Promise<void> {
  await fixture.direct.create(CLUSTER_ROLE_BINDINGS, {
    metadata: { name: `${role}-${user.replaceAll(":", "-")}` },
    roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: role },
    subjects: [{ apiGroup: RBAC, kind: "User", name: user }],
  });
}

const as = (user: string): ApiClient => fixture.direct.actingAs(user);
const SERVICES = "/api/v1/namespaces/default/services";
const service = (name: string, spec: object = {}): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { selector: { app: "mine" }, ports: [{ port: 443 }], ...spec },
});

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
const create = (client: ApiClient, body: object): Promise<string | undefined> =>
  refusal(client.request({ method: "POST", path: SERVICES, body }));
const claim = (client: ApiClient, name: string): Promise<string | undefined> =>
  create(client, service(name, { externalIPs: [ADDRESS] }));
const patch = (client: ApiClient, name: string, spec: object): Promise<string | undefined> =>
  refusal(
    client.request({
      method: "PATCH",
      path: `${SERVICES}/${name}`,
      contentType: "application/merge-patch+json",
      body: { spec },
    }),
  );

describe.each([
  ["by name", "mallory"],
  ["by their account", PERSON],
])("a person, %s,", (_how, user) => {
  test("makes Services, but claims no address by one", async () => {
    const name = unique();
    expect(await create(as(user), service(name))).toBeUndefined();
    expect(await claim(as(user), unique())).toContain(
      `only administrators claim addresses by spec.externalIPs (found ${ADDRESS})`,
    );
    expect(await patch(as(user), name, { externalIPs: [ADDRESS] })).toContain("only administrators");
    expect(
      await refusal(
        as(user).request({
          method: "PATCH",
          path: `${SERVICES}/${name}`,
          query: { fieldManager: "mallory", force: true },
          contentType: "application/apply-patch+yaml",
          body: service(name, { externalIPs: [ADDRESS] }),
        }),
      ),
    ).toContain("only administrators");
  });

  test("works on with a Service for which an administrator claimed one, and gives it up", async () => {
    const name = unique();
    expect(await claim(fixture.direct, name)).toBeUndefined();
    expect(await patch(as(user), name, { ports: [{ port: 444 }] })).toBeUndefined();
    const added = await patch(as(user), name, { externalIPs: [ADDRESS, OTHER] });
    expect(added).toContain(`(found ${OTHER})`);
    expect(await patch(as(user), name, { externalIPs: [] })).toBeUndefined();
    expect(await patch(as(user), name, { externalIPs: [ADDRESS] })).toContain(`(found ${ADDRESS})`);
  });

  test.each<[string, string, string, object]>([
    [
      "the status of a Service",
      "PATCH",
      `${SERVICES}/kubernetes/status`,
      { status: { loadBalancer: { ingress: [{ ip: ADDRESS }] } } },
    ],
    ["Endpoints", "POST", "/api/v1/namespaces/default/endpoints", { metadata: { name: "a" } }],
    [
      "EndpointSlices",
      "POST",
      "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
      { metadata: { name: "a" }, addressType: "IPv4", endpoints: [{ addresses: [ADDRESS] }] },
    ],
    [
      "the status of an Ingress",
      "PATCH",
      "/apis/networking.k8s.io/v1/namespaces/default/ingresses/a/status",
      { status: { loadBalancer: { ingress: [{ ip: ADDRESS }] } } },
    ],
  ])("does not write %s, which leads traffic elsewhere too", async (_what, method, path, body) => {
    const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    expect(await refusal(as(user).request({ method, path, body, contentType }))).toMatch(
      /cannot (patch|create) resource/,
    );
  });
});

test("who was given the right to use external addresses claims them", async () => {
  expect(await claim(as("joe"), unique())).toBeUndefined();
});
