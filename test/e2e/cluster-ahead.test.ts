// A preview asks the cluster of its stack whether a ClusterUpgrade has brought it further than its file says.
import { readFileSync } from "node:fs";
import { listAt, textAt } from "../../lib/json";
import { NODES } from "../../controllers/coordinator/native-resources";
import { UPGRADES } from "../../controllers/coordinator/kinds";
import { startAws, type Aws } from "../../sandbox/aws";
import { readVersions } from "../../preview/cluster-versions";
import { SERVER_LABELS, startCoordinatorFixture, type CoordinatorFixture } from "../harness/coordinator";
import { waitFor } from "../harness/fault-proxy";
import { openRecordedStack } from "../harness/recorded-stack";
import type { StackProgram } from "../harness/stack-program";

/** What the recorded stack declares, and what a colleague's ClusterUpgrade went to. */
const DECLARED = "v1.35.4+rke2r1";
const REACHED = "v1.36.3+rke2r1";

let fixture: CoordinatorFixture;
let kubeconfig: string;
let aws: Aws;
let program: StackProgram;

beforeAll(async () => {
  fixture = await startCoordinatorFixture({ components: { scheduler: false, controllerManager: false } });
  // Shortly after its definition is there, a kind is not served.
  await waitFor("upgrades to be served", () =>
    fixture.direct.request({ method: "GET", path: "/apis/fleetwright.dev/v1/clusterupgrades" }).then(
      () => true,
      () => false,
    ),
  );
  kubeconfig = readFileSync(fixture.plane.kubeconfig, "utf8");
  aws = await startAws();
  program = await openRecordedStack(aws, kubeconfig);
});
afterAll(async () => {
  await program.close();
  await aws.stop();
  await fixture.close();
});

const said = async (severity: string): Promise<string[]> =>
  listAt(await program.previewed(), "diagnostics").flatMap((one) =>
    textAt(one, "severity") === severity
      ? [(textAt(one, "message") ?? "").trim().replace(/^warning: /, "")]
      : [],
  );
const aheadOnes = (messages: readonly string[]): string[] =>
  messages.filter((message) => message.includes("ahead of"));

async function setVersion(name: string, kubeletVersion: string): Promise<void> {
  await fixture.direct.patch(
    NODES,
    { name },
    { status: { nodeInfo: { kubeletVersion } } },
    { subresource: "status" },
  );
}

it("says nothing while the cluster has what the file declares, or nobody has declared anything in it", async () => {
  expect(await readVersions(kubeconfig)).toEqual({ servers: [], upgrades: [], declared: undefined });
  await fixture.direct.create(NODES, { metadata: { name: "dev-server-0", labels: SERVER_LABELS } });
  await setVersion("dev-server-0", DECLARED);
  expect(aheadOnes(await said("warning"))).toEqual([]);
});

it("warns with both versions and the fix when a ClusterUpgrade went further", async () => {
  await fixture.direct.request({
    method: "POST",
    path: "/apis/fleetwright.dev/v1/clusterupgrades",
    body: {
      apiVersion: "fleetwright.dev/v1",
      kind: "ClusterUpgrade",
      metadata: { name: "spring" },
      spec: { version: REACHED },
    },
  });
  // It has not begun: it may still be refused.
  expect((await readVersions(kubeconfig)).upgrades).toEqual([]);
  await fixture.direct.patch(
    UPGRADES,
    { name: "spring" },
    { status: { phase: "Succeeded" } },
    { subresource: "status" },
  );
  await setVersion("dev-server-0", REACHED);
  expect(aheadOnes(await said("warning"))).toEqual([
    `The cluster is ahead of this file: cluster.version is ${DECLARED}, and the cluster has gone to ${REACHED} ` +
      `(dev-server-0 runs ${REACHED}; ClusterUpgrade spring to ${REACHED}: Succeeded). ` +
      `A node that this file makes or replaces would come with ${DECLARED}, and servers would be restarted with it. ` +
      `Set fleetwright:cluster.version to ${REACHED} and remove fleetwright:upgradeTo before pulumi up.`,
  ]);
});

it("warns too where the file was brought back to an older version than the last update's", async () => {
  const OLDER = "v1.34.10+rke2r1";
  await program.configure((config) => {
    const { "fleetwright:cluster": cluster } = config;
    config["fleetwright:cluster"] = { ...(cluster as object), version: OLDER };
  });
  const [message = ""] = aheadOnes(await said("warning"));
  expect(message).toContain(`cluster.version is ${OLDER}, and the cluster has gone to ${REACHED}`);
});

it("says that it could not ask, and goes on, when the cluster does not answer", async () => {
  await fixture.plane.stop();
  const messages = await said("info");
  expect(messages.filter((message) => message.startsWith("Whether the cluster is ahead"))).toEqual([
    expect.stringMatching(
      /is not known, because it could not be asked: https:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/,
    ),
  ]);
});
