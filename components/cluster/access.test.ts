import { MockGraph } from "../testing/mock-graph";
import { accessToBuilt, accessToExisting } from "./access";
import { ClusterKind } from "./args";
import { Cluster } from "./cluster";

const PROVIDER = "pulumi:providers:kubernetes";

it("knows a cluster by its name, so that another kubeconfig or address replaces nothing in it", async () => {
  const graph = await MockGraph.of(() => {
    accessToBuilt(
      new Cluster("main", { kind: ClusterKind.Hosted, version: "1.35", pools: [{ name: "web" }] }),
    );
  });
  expect(graph.all(PROVIDER).map(({ inputs }) => inputs.clusterIdentifier)).toEqual(["acme/test/main"]);
});

it("knows an existing cluster by the stack that manages it, whatever its context is called", async () => {
  const graph = await MockGraph.of(() => {
    accessToExisting("blue");
  });
  expect(graph.all(PROVIDER).map(({ inputs }) => inputs.clusterIdentifier)).toEqual([
    "acme/test/existing",
    "acme/test/existing",
  ]);
});
