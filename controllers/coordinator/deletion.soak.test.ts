import {
  crashAtEveryWrite,
  startCoordinatorFixture,
  type CoordinatorFixture,
} from "../../test/harness/coordinator";
import { waitFor } from "../../test/harness/fault-proxy";
import type { KubernetesObject, Resource } from "../runtime";
import { CLUSTER_LABELS, REGISTRIES, ROLE_BINDINGS, ROLES } from "./kinds";
import { NODES, SECRETS } from "./native-resources";

let fixture: CoordinatorFixture;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
  for (const name of ["a", "b"]) await fixture.direct.create(NODES, { metadata: { name } });
  await fixture.direct.create(SECRETS, {
    metadata: { namespace: fixture.home, name: "login" },
    data: { username: "YQ==", password: "Yg==" },
  });
}, 240_000);
afterAll(() => fixture.close());

const declare = ({ plural, kind }: Resource, name: string, spec: object): Promise<unknown> =>
  fixture.direct.request({
    method: "POST",
    path: `/apis/fleetwright.dev/v1/${plural}`,
    body: { apiVersion: "fleetwright.dev/v1", kind, metadata: { name }, spec },
  });
const isReady = async (resource: Resource): Promise<boolean> => {
  const found = await fixture.direct.get<
    KubernetesObject & { status?: { conditions?: { type: string; status: string }[] } }
  >(resource, { name: "one" });
  return found.status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false;
};
const count = async (path: string): Promise<number> =>
  (await fixture.direct.request<{ items: unknown[] }>({ method: "GET", path })).items.length;
const own = (controller: string): string => `labelSelector=fleetwright.dev%2Fcontroller%3D${controller}`;
const rbac = "/apis/rbac.authorization.k8s.io/v1";

test.each<[string, string, [Resource, object][], () => Promise<number>]>([
  [
    "a Registry",
    "service-accounts,registries",
    [[REGISTRIES, { provider: "basic", endpoint: "r.example.com", credentials: { name: "login" } }]],
    () => count(`/api/v1/secrets?${own("registries")}`),
  ],
  [
    "a label",
    "labels",
    [[CLUSTER_LABELS, { key: "env", value: "dev" }]],
    () => count("/api/v1/nodes?labelSelector=cluster.fleetwright.dev%2Fenv"),
  ],
  [
    "a role and its binding",
    "authorization",
    [
      [ROLES, { rules: [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] }] }],
      [ROLE_BINDINGS, { role: "one", user: "ada" }],
    ],
    async () =>
      (await count(`${rbac}/clusterroles?${own("authorization")}`)) +
      (await count(`${rbac}/clusterrolebindings?${own("authorization")}`)),
  ],
])(
  "row 12: whenever it dies while %s is being deleted, the next one takes the rest away",
  async (_what, controllers, declarations, left) => {
    const resources = declarations.map(([resource]) => resource);
    const deaths = await crashAtEveryWrite(
      fixture,
      { controllers },
      {
        arrange: async () => {
          const healthy = await fixture.start({ controllers });
          for (const [resource, spec] of declarations) await declare(resource, "one", spec);
          for (const resource of resources)
            await waitFor(`${resource.kind} to be ready`, () => isReady(resource), 60_000);
          await healthy.stop();
          expect(await left()).toBeGreaterThan(0);
          for (const resource of resources) await fixture.direct.delete(resource, { name: "one" });
        },
        converged: async () => {
          for (const { plural, kind } of resources)
            await waitFor(
              `${kind} to go`,
              async () => (await count(`/apis/fleetwright.dev/v1/${plural}`)) === 0,
              60_000,
            );
          expect(await left()).toBe(0);
        },
        restore: async () => {},
      },
    );
    console.log(JSON.stringify({ what: _what, deaths }));
    expect(deaths).toBeGreaterThanOrEqual(3);
  },
  1_800_000,
);
