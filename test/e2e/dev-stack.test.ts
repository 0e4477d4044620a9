import { everyCluster, notNamed, selfManaged } from "../../scripts/docs/permissions";
import { parseJson } from "../../lib/json";
import { describeMachines } from "../../sandbox/machines/testing/machine-host";
import {
  echoObjects,
  echoProgram,
  importEchoImage,
  removeEchoImage,
} from "../../sandbox/machines/rke2/testing/echo";
import { ClusterCloud } from "../harness/cluster-cloud";

describeMachines("the stack dev", () => {
  let cluster: ClusterCloud;
  jest.setTimeout(1_800_000);

  beforeAll(async () => {
    cluster = await ClusterCloud.open();
  });
  afterAll(async () => {
    await cluster.close();
    await removeEchoImage();
  });

  test("comes up from nothing: three servers and two pools, all nodes Ready", async () => {
    expect(Object.keys(await cluster.up())).toEqual(["create"]);
    const nodes = await cluster.nodes();
    expect(nodes.map(({ pool, isReady }) => `${pool} ${isReady ? "Ready" : "not ready"}`).sort()).toEqual([
      "batch Ready",
      "servers Ready",
      "servers Ready",
      "servers Ready",
      "web Ready",
      "web Ready",
    ]);
  });

  test("shows no change in a second update", async () => {
    expect(Object.keys(await cluster.up())).toEqual(["same"]);
  });

  test("knows where each node is: by its instance in a pool, by its member on a server", async () => {
    const { stdout } = await cluster.kubectl(["get", "nodes", "--output", "json"]);
    const { items } = parseJson(stdout) as {
      items: { metadata: { name: string; labels: Record<string, string> }; spec: { providerID: string } }[];
    };
    expect(items.map(({ spec }) => spec.providerID).sort()).toEqual(
      items
        .map(
          ({ metadata: { name, labels } }) => `aws:///${labels["topology.kubernetes.io/zone"] ?? ""}/${name}`,
        )
        .sort(),
    );
    expect(items.map(({ metadata }) => metadata.labels["topology.kubernetes.io/region"])).toEqual(
      items.map(() => "eu-central-1"),
    );
  });

  test("asked of AWS nothing that docs/reference/permissions.md does not name", () => {
    const { ledger } = cluster.cloud.aws;
    expect(ledger.entries().map(({ action }) => action)).toContain("RunInstances");
    expect(notNamed(ledger.entries(), [everyCluster, selfManaged])).toEqual([]);
  });

  test("runs a pod on every node that reaches all others by address and through the service's name", async () => {
    const machines = await cluster.machineHost.list();
    await Promise.all(machines.map(({ id }) => importEchoImage(cluster.machineHost, id)));
    await cluster.apply(echoObjects());
    await cluster.readyPods("k8s-app=kube-dns", 1);
    const pods = await cluster.readyPods("app=echo", machines.length);
    const nodes = (await cluster.nodes()).map(({ name }) => name).sort();
    expect(pods.map(({ node }) => node).sort()).toEqual(nodes);
    const program = echoProgram(pods.map(({ ip }) => ip));
    for (const { name } of pods) {
      const { stdout, stderr } = await cluster.kubectl(["exec", name, "--", "/usr/bin/node", "-e", program]);
      expect([name, parseJson(stdout), stderr]).toEqual([name, { pods: nodes, service: nodes }, ""]);
    }
  });
});
