// The hub's controllers with the rights that they declare, and no others: a kind is imported, published, placed and taken away again.
import {
  clusterSays,
  CRDS,
  FleetServer,
  installHubKinds,
  pushCluster,
  startHub,
  type RunningHub,
} from "../../test/harness/fleet";
import { CONFIG_MAPS, waitFor } from "../../test/harness/fault-proxy";
import { SYSTEM_NAMESPACE } from "../../api";
import { joinRules } from "../app/rules";
import { COMMON_RULES } from "../coordinator/role";
import type { Resource } from "../runtime";
import { NAMESPACES } from "../syncer/kinds";
import { NEGOTIATED } from "./apis/kinds";
import { SERVED_ROLE, servedRules } from "./apis/served-rights";
import { CONTROLLERS } from "./controllers";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from "./kinds";

const USER = "hub-controllers";
const NAME = "declared-rights";
const GROUP = "rbac.authorization.k8s.io";
const WIDGETS: Resource = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};

let hub: FleetServer;
let east: FleetServer;
let running: RunningHub | undefined;

beforeAll(async () => {
  [hub, east] = await Promise.all([
    FleetServer.start({ server: "hub-apiserver" }),
    FleetServer.start({ components: { controllerManager: false, scheduler: false } }),
  ]);
  await installHubKinds(hub);
  for (const name of [SYSTEM_NAMESPACE, "shop"]) await hub.direct.create(NAMESPACES, { metadata: { name } });
});

afterAll(async () => {
  await running?.stop();
  await Promise.all([hub.stop(), east.stop()]);
});

const subjects = [{ apiGroup: GROUP, kind: "User", name: USER }];
const clusterRole = (name: string): object => ({ apiGroup: GROUP, kind: "ClusterRole", name });

/** Gives a user what the controllers declare. A wildcard among it is refused. */
async function giveRights(): Promise<void> {
  const namespace = SYSTEM_NAMESPACE;
  const everywhere = joinRules([...COMMON_RULES, ...CONTROLLERS.flatMap(({ rules }) => rules)]);
  const here = joinRules(CONTROLLERS.flatMap(({ namespacedRules = [] }) => namespacedRules));
  const { direct } = hub;
  await direct.create(CLUSTER_ROLES, { metadata: { name: NAME }, rules: everywhere });
  await direct.create(ROLES, { metadata: { name: NAME, namespace }, rules: here });
  await direct.create(ROLE_BINDINGS, {
    metadata: { name: NAME, namespace },
    roleRef: { apiGroup: GROUP, kind: "Role", name: NAME },
    subjects,
  });
  for (const name of [NAME, SERVED_ROLE])
    await direct.create(CLUSTER_ROLE_BINDINGS, { metadata: { name }, roleRef: clusterRole(name), subjects });
}

test("a kind is published and its objects are placed with the rights that are declared, which name each thing", async () => {
  await giveRights();
  running = await startHub(hub, ["--heartbeat=2", "--import-interval=1"], { user: USER });
  await east.direct.create(CRDS, {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { status: { type: "object", properties: { phase: { type: "string" } } } },
            },
          },
        },
      ],
    },
  });
  await pushCluster(hub, "east", east.plane.kubeconfig);
  await clusterSays(hub, "east", "Ready", "Synced");
  const metadata = { labels: { "fleetwright.dev/cluster": "east" }, namespace: "shop", name: "one" };
  await hub.direct.create(CONFIG_MAPS, { metadata });
  await waitFor("a ConfigMap in east", () => east.find(CONFIG_MAPS, metadata));

  const name = "widgets.v1.example.com";
  await waitFor("the kind to be negotiated", () => hub.find(NEGOTIATED, { name }));
  await hub.direct.patch(NEGOTIATED, { name }, { spec: { publish: true } });
  await waitFor("the kind on the hub", () =>
    hub.direct.create(WIDGETS, { metadata }).then(
      () => true,
      () => false,
    ),
  );
  await waitFor("a Widget in east", () => east.find(WIDGETS, metadata));
  await east.direct.patch(WIDGETS, metadata, { status: { phase: "Running" } }, { subresource: "status" });
  await waitFor("its status on the hub", async () =>
    JSON.stringify(await hub.direct.get(WIDGETS, metadata)).includes('"phase":"Running"'),
  );
  // What is stored is listed before a kind goes.
  await hub.direct.patch(NEGOTIATED, { name }, { spec: { publish: false } });
  await waitFor("the object to be in the way", async () =>
    (await hub.direct.get(NEGOTIATED, { name })).status?.conditions?.some(
      ({ reason }) => reason === "ObjectsStored",
    ),
  );
  await hub.direct.delete(WIDGETS, metadata);
  await waitFor("it to go", async () => (await hub.find(WIDGETS, metadata)) === undefined);
  expect(await east.find(WIDGETS, metadata)).toBeUndefined();
});

test("rights for kinds of definitions name each of them, and none of the product's own", () => {
  const definition = (group: string, plural: string) => ({
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Namespaced" as const, names: { plural, kind: "X" }, versions: [] },
  });
  expect(
    servedRules([definition("fleetwright.dev", "shares"), definition("example.com", "widgets")]),
  ).toEqual([
    { apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: ["example.com"], resources: ["widgets/status"], verbs: ["patch"] },
  ]);
});
