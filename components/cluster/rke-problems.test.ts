import { rkeProblems, serverProblems } from "./rke-problems";
import type { RkeClusterArgs } from "./rke-args";

const subnet = (index: number): { id: string; zone: string } => ({
  id: `subnet-${index}`,
  zone: `z${index}`,
});
const key = "-----BEGIN OPENSSH PRIVATE KEY-----\n…\n-----END OPENSSH PRIVATE KEY-----\n";
const good: RkeClusterArgs = {
  network: { vpcId: "vpc-1", cidr: "10.0.0.0/16", privateSubnets: [subnet(0), subnet(1), subnet(2)] },
  version: "v1.35.7+rke2r1",
  login: { privateKey: key },
};

it("finds nothing wrong with the defaults", () => {
  expect(rkeProblems("main", good)).toEqual([]);
});

it.each([
  [1, 1, 0],
  [3, 3, 0],
  [5, 3, 0],
  [3, 2, 1],
  [3, 1, 1],
  [5, 2, 1],
  [5, 5, 0],
  [2, 3, 1],
  [4, 3, 1],
  [0, 3, 1],
  [7, 3, 1],
])("finds with %d servers in %d zones %d problems", (count, zones, problems) => {
  expect(serverProblems(count, zones)).toHaveLength(problems);
});

it("says everything at once", () => {
  const problems = rkeProblems("Main", {
    ...good,
    network: { ...good.network, cidr: "10.43.0.0/16", privateSubnets: [subnet(0)] },
    version: "v1.12.0+rke2r1",
    login: { privateKey: "", fromCidrs: ["0.0.0.0/0"] },
    rejoin: ["server-9"],
    api: { isPublic: true, cidrs: ["0.0.0.0/0"] },
    podNetwork: { clusterCidr: "10.42.0.0", cni: "weave" },
    pools: [
      {
        name: "a",
        count: 1,
        min: 2,
        taints: [{ key: "x", effect: "Never" }],
        labels: { "kubernetes.io/x": "1" },
      },
      { name: "a" },
      { name: "servers" },
    ],
    release: { digests: { "v1.35.7+rke2r1": "abc" } },
  });
  expect(problems.map((text) => text.split(/ (is|has|names|and) /)[0])).toEqual([
    "the cluster's name",
    "version",
    "servers.count",
    "rejoin",
    "login.privateKey",
    "podNetwork.clusterCidr",
    "network.cidr (10.43.0.0/16)",
    "podNetwork.cni",
    "api.cidrs",
    "login.fromCidrs",
    "api.isPublic",
    "pools[0]",
    "pools[0].taints[0].effect",
    "pools[0].labels",
    "pools",
    "pools",
    'release.digests["v1.35.7+rke2r1"]',
  ]);
});

it("never repeats a key in a message", () => {
  const problems = rkeProblems("main", { ...good, login: { privateKey: "hunter2" } });
  expect(problems).toHaveLength(1);
  expect(problems.join()).not.toContain("hunter2");
});
