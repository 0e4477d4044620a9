// An upgrade in progress when the coordinator, and its kinds, are of the next release. On the real API server.
import { crdOf } from "../../../api";
import {
  AgentStandIn,
  startCoordinatorFixture,
  type CoordinatorFixture,
} from "../../../test/harness/coordinator";
import { waitFor } from "../../../test/harness/fault-proxy";
import { UPGRADES, type UpgradeObject } from "../kinds";
import { NODES } from "../native-resources";
import { isNotFound } from "../../runtime";
import { CORDONED_BY } from "./node-plan";

const [FROM, TO] = ["v1.34.1+rke2r1", "v1.35.4+rke2r1"];
const CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusterupgrades.fleetwright.dev";
let fixture: CoordinatorFixture;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
});
afterAll(() => fixture.close());

const send = (method: string, path: string, body: unknown, contentType?: string): Promise<UpgradeObject> =>
  fixture.direct.request({ method, path, body, ...(contentType === undefined ? {} : { contentType }) });

/** Writes the definition, with the nodes of status as a list by name or as they are now, and waits until it is served. */
async function define(earlier: boolean): Promise<void> {
  const text = JSON.stringify(crdOf("ClusterUpgrade"));
  const definition = JSON.parse(text, (key, value: unknown) => {
    if (!earlier || key !== "nodes" || typeof value !== "object") return value;
    return { ...value, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };
  }) as { spec: { versions: object[] } };
  await send("PATCH", CRD, { spec: { versions: definition.spec.versions } }, "application/merge-patch+json");
  await waitFor("the definition to be served", async () => {
    const openapi = await fixture.direct
      .text({ method: "GET", path: "/openapi/v3/apis/fleetwright.dev/v1" })
      .catch((error: unknown) => {
        // The server publishes the description of a group a little after its definitions.
        if (isNotFound(error)) return undefined;
        throw error;
      });
    if (openapi === undefined) return false;
    const { components } = JSON.parse(openapi) as {
      components: {
        schemas: Record<string, { properties?: { status?: { properties?: Record<string, object> } } }>;
      };
    };
    const nodes =
      components.schemas["dev.fleetwright.v1.ClusterUpgrade"]?.properties?.status?.properties?.nodes;
    return (
      nodes !== undefined &&
      JSON.stringify(nodes).includes(`"x-kubernetes-list-type":"${earlier ? "map" : "atomic"}"`)
    );
  });
}

test("goes on where it was: nodes in work are finished, those at the version are done, none has its turn twice", async () => {
  await define(true);
  const names = ["done", "upgrading", "cordoning", "uncordoning", "pending"];
  for (const name of [...names, "failed"]) {
    await fixture.direct.create(NODES, { metadata: { name } });
    const status = {
      conditions: [{ type: "Ready", status: "True", reason: "Test" }],
      nodeInfo: { kubeletVersion: ["done", "uncordoning"].includes(name) ? TO : FROM },
    };
    await fixture.direct.patch(NODES, { name }, { status }, { subresource: "status" });
  }
  const made = await send("POST", "/apis/fleetwright.dev/v1/clusterupgrades", {
    apiVersion: "fleetwright.dev/v1",
    kind: "ClusterUpgrade",
    metadata: { name: "up", finalizers: ["fleetwright.dev/upgrades"] },
    spec: { version: TO, maxUnavailable: 4, onFailure: "Continue" },
  });
  const uid = made.metadata.uid ?? "";
  for (const name of ["upgrading", "cordoning", "uncordoning"])
    await fixture.direct.patch(
      NODES,
      { name },
      { metadata: { annotations: { [CORDONED_BY]: uid } }, spec: { unschedulable: true } },
    );
  const at = "2026-01-01T00:00:00.000Z";
  const times = { startedAt: at, phaseStartedAt: at, fromVersion: FROM };
  // As the earlier release wrote it: an entry for every node, and times by the wall clock alone.
  await send(
    "PATCH",
    "/apis/fleetwright.dev/v1/clusterupgrades/up/status?fieldManager=fleetwright-upgrades&force=true",
    {
      apiVersion: "fleetwright.dev/v1",
      kind: "ClusterUpgrade",
      metadata: { name: "up" },
      status: {
        phase: "Running",
        startedAt: at,
        total: 6,
        done: 1,
        failed: 1,
        nodes: [
          { name: "done", phase: "Done", reason: "Upgraded", exitCode: 0, output: "x".repeat(256) },
          { name: "upgrading", phase: "Upgrading", ...times },
          { name: "cordoning", phase: "Cordoning", ...times },
          { name: "uncordoning", phase: "Uncordoning", reason: "Upgraded", ...times },
          { name: "pending", phase: "Pending" },
          { name: "failed", phase: "Failed", reason: "InstallerFailed", completedAt: at, ...times },
        ],
      },
    },
    "application/apply-patch+yaml",
  );
  await define(false);
  const agent = new AgentStandIn(fixture.direct);
  const running = await fixture.start({ controllers: "upgrades" });
  const get = (): Promise<UpgradeObject> => fixture.direct.get(UPGRADES, { name: "up" });
  try {
    // Nodes in work are finished; without a digest, which the earlier release did not ask for, no other is begun.
    await waitFor(
      "it to be held",
      async () => (await get()).status?.conditions?.[0]?.reason === "Held",
      60_000,
    );
    await waitFor("the nodes in work to be done", async () => (await get()).status?.done === 4, 60_000);
    const { status } = await get();
    expect(status?.nodes?.map(({ name, phase }) => [name, phase])).toEqual([["failed", "Failed"]]);
    expect(status?.conditions?.[0]?.message).toContain("spec.digest is missing");
    await fixture.direct.patch(UPGRADES, { name: "up" }, { spec: { digest: `sha256:${"0".repeat(64)}` } });
    await waitFor("it to end", async () => (await get()).status?.phase === "Failed", 60_000);
    expect((await get()).status).toMatchObject({ total: 6, done: 5, failed: 1 });
    expect([...agent.upgraded].sort()).toEqual(["cordoning", "pending", "upgrading"]);
    for (const name of names)
      expect((await fixture.direct.get(NODES, { name })).spec?.unschedulable).toBeUndefined();
  } finally {
    await running.stop();
    await agent.stop();
  }
});
