import { MockGraph } from "../../testing/mock-graph";
import { Cluster } from "../cluster";
import { ClusterKind } from "../args";
import { Network } from "./network";

const SUBNET = "aws:ec2/subnet:Subnet";
const KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nlogin-key\n-----END OPENSSH PRIVATE KEY-----\n";

it("takes zones that need no opt-in, and keeps those that it took", async () => {
  const graph = await MockGraph.of(() => new Network("main"));
  expect(graph.calls("aws:index/getAvailabilityZones:getAvailabilityZones")).toEqual([
    { state: "available", filters: [{ name: "opt-in-status", values: ["opt-in-not-required"] }] },
  ]);
  expect(graph.all(SUBNET)).toHaveLength(9);
  for (const subnet of graph.all(SUBNET)) expect(subnet.ignoresChangesOf).toEqual(["availabilityZone"]);
});

it("follows zones that are named", async () => {
  const graph = await MockGraph.of(() => new Network("main", { zoneNames: ["eu-central-1b"] }));
  expect(
    graph.all(SUBNET).map(({ inputs, ignoresChangesOf }) => [inputs.availabilityZone, ignoresChangesOf]),
  ).toEqual(Array.from({ length: 3 }, () => ["eu-central-1b", []]));
});

it("pays for endpoints only where somebody asks there: nodes of RKE2's pools", async () => {
  const services = async (
    kind: ClusterKind,
    version: string,
    privateEndpoints?: boolean,
  ): Promise<unknown[]> => {
    const graph = await MockGraph.of(
      () =>
        new Cluster("main", {
          kind,
          version,
          network: privateEndpoints === undefined ? {} : { privateEndpoints },
          pools: [{ name: "web" }],
          ...(kind === ClusterKind.Hosted ? {} : { selfManaged: { login: { privateKey: KEY } } }),
        }),
    );
    return graph
      .all("aws:ec2/vpcEndpoint:VpcEndpoint")
      .map(({ inputs }) => String(inputs.serviceName).split(".").at(-1));
  };
  expect(await services(ClusterKind.Rke2, "v1.35.7+rke2r1")).toEqual(["s3", "ssm", "autoscaling"]);
  expect(await services(ClusterKind.Rke, "v1.30.14-rancher1-1")).toEqual(["s3"]);
  expect(await services(ClusterKind.Hosted, "1.35")).toEqual(["s3"]);
  expect(await services(ClusterKind.Hosted, "1.35", true)).toEqual(["s3", "ssm", "autoscaling"]);
});

it.each([
  [ClusterKind.Rke2, "v1.35.7+rke2r1", "RkeCluster"],
  [ClusterKind.Hosted, "1.35", "HostedCluster"],
])("stands until a cluster of kind %s has gone, with its ways out", async (kind, version, type) => {
  const graph = await MockGraph.of(
    () =>
      new Cluster("main", {
        kind,
        version,
        pools: [{ name: "web" }],
        ...(kind === ClusterKind.Hosted ? {} : { selfManaged: { login: { privateKey: KEY } } }),
      }),
  );
  const { dependencies } = graph.one(`fleetwright:index:${type}`, "main");
  const ways = [
    "aws:ec2/route:Route",
    "aws:ec2/natGateway:NatGateway",
    "aws:ec2/routeTableAssociation:RouteTableAssociation",
  ].flatMap((one) => graph.all(one));
  expect(ways.length).toBeGreaterThan(9);
  expect(ways.filter(({ urn }) => !dependencies.includes(urn))).toEqual([]);
});
