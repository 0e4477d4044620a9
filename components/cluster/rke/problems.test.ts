import { Distribution, type RkeClusterArgs } from "./args";
import { checkRkeCluster, zoneProblems } from "./problems";

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

const problemsOf = (name: string, args: RkeClusterArgs): string[] => {
  const checked = checkRkeCluster(name, args);
  return checked.ok ? [] : checked.problems.map(({ path, message }) => `${path}: ${message}`);
};

it("finds nothing wrong with the defaults, and fills them in", () => {
  expect(checkRkeCluster("main", good)).toMatchObject({
    ok: true,
    settings: {
      servers: { count: 3, volumeSize: 20, dedicated: false, retain: true },
      api: { cidrs: ["10.0.0.0/16"], isPublic: false },
      podNetwork: { cni: "canal" },
      hardening: { cis: true, audit: true },
      pools: [],
    },
  });
});

it("lets pools without bounds of an autoscaler have exactly their count", () => {
  expect(checkRkeCluster("main", { ...good, pools: [{ name: "web", count: 3 }] })).toMatchObject({
    settings: { pools: [{ name: "web", count: 3, min: 3, max: 3 }], servers: { dedicated: true } },
  });
});

it.each([
  [1, 1, 0],
  [3, 3, 0],
  [5, 3, 0],
  [3, 2, 1],
  [3, 1, 1],
  [5, 2, 1],
  [5, 5, 0],
])("finds with %d servers in %d zones %d problems", (count, zones, problems) => {
  expect(zoneProblems(count, zones)).toHaveLength(problems);
});

it("refuses an RSA host key of a proxy, with which nobody could log in", () => {
  const through = (hostKey: string): string[] =>
    problemsOf("main", {
      ...good,
      login: { privateKey: key, proxy: { host: "bastion", user: "jump", hostKey } },
    });
  expect(through("ssh-ed25519 AAAA")).toEqual([]);
  expect(through("ssh-rsa AAAA")).toEqual([
    expect.stringMatching(/^login\.proxy\.hostKey: .*Ed25519 or ECDSA host key/),
  ]);
});

it.each([0, 2, 4, 7])("refuses %d servers", (count) => {
  expect(problemsOf("main", { ...good, servers: { count } })).toEqual([
    `servers.count: found ${count}: use 1, 3 or 5, so that etcd keeps a majority`,
  ]);
});

it.each([
  ["n".repeat(20), "use up to 19 lowercase letters, digits and hyphens, starting with a letter"],
  ["internal", 'AWS refuses names that begin with "internal-" or "sg-"; use another one'],
  ["sg-blue", 'AWS refuses names that begin with "internal-" or "sg-"; use another one'],
])("refuses the name %s, of which a name that AWS refuses would be made", (name, fix) => {
  expect(problemsOf(name, good)).toEqual([`name: found ${JSON.stringify(name)}: ${fix}`]);
});

it.each(["n".repeat(19), "internals", "sgx"])("accepts the name %s", (name) => {
  expect(problemsOf(name, good)).toEqual([]);
});

it("refuses room for an autoscaler with rke, whose machines no group makes", () => {
  const rke = { ...good, distribution: Distribution.Rke, version: "v1.30.14-rancher1-1" };
  expect(problemsOf("main", { ...rke, pools: [{ name: "web", count: 1, max: 4 }] })).toEqual([
    "pools[0]: found min 1, count 1, max 4: rke has no groups that an autoscaler could change; set count only",
  ]);
});

it("reports everything at once", () => {
  const problems = problemsOf("Main", {
    ...good,
    network: { ...good.network, cidr: "10.43.0.0/16", privateSubnets: [subnet(0)] },
    version: "v1.12.0+rke2r1",
    login: { privateKey: "", fromCidrs: ["0.0.0.0/0"] },
    rejoin: ["server-9"],
    api: { isPublic: true, cidrs: ["0.0.0.0/0"] },
    podNetwork: { clusterCidr: "10.42.0.0", cni: "weave" },
    pools: [
      { name: "a", count: 1, min: 2 },
      { name: "a", labels: { "kubernetes.io/x": "1" } },
      { name: "servers" },
    ],
    release: { digests: { "v1.35.7+rke2r1": "abc" } },
  });
  expect(problems.map((text) => text.split(": ")[0])).toEqual([
    'pools[1].labels["kubernetes.io/x"]',
    "login.privateKey",
    "podNetwork.clusterCidr",
    "podNetwork.cni",
    'release.digests["v1.35.7+rke2r1"]',
    "name",
    "version",
    "servers.count",
    "rejoin",
    "podNetwork.serviceCidr",
    "api.cidrs[0]",
    "login.fromCidrs[0]",
    "api.isPublic",
    "pools[0]",
    "pools[2].name",
    "pools[1].name",
  ]);
});

it.each<[string, RkeClusterArgs["release"], string[]]>([
  ["the project's own releases, without a digest", {}, []],
  ["the project's own releases, with one", { digests: { "v1.35.7+rke2r1": "a".repeat(64) } }, []],
  ["the sandbox's releases, which never leave the machine", { url: "http://169.254.169.251:8080" }, []],
  [
    "a mirror with a digest",
    { url: "https://mirror.example.com/rke2", digests: { "v1.35.7+rke2r1": "a".repeat(64) } },
    [],
  ],
  [
    "a mirror that vouches for itself",
    { url: "https://mirror.example.com/rke2", digests: { "v1.34.1+rke2r1": "a".repeat(64) } },
    [
      "release.digests: has no digest for v1.35.7+rke2r1, which is to come from https://mirror.example.com/rke2: set the SHA-256 of rke2.linux-amd64.tar.gz as the project's own release names it",
    ],
  ],
  [
    "plain HTTP",
    { url: "http://169.254.1.1.example.com/rke2", digests: { "v1.35.7+rke2r1": "a".repeat(64) } },
    [
      'release.url: found "http://169.254.1.1.example.com/rke2": use an https address: what comes from there runs as root',
    ],
  ],
])("knows where RKE2 may come from: %s", (_what, release, problems) => {
  expect(problemsOf("main", { ...good, ...(release === undefined ? {} : { release }) })).toEqual(problems);
});

it("compares what is left when one setting is misspelled or of the wrong type", () => {
  const args = { ...good, servers: { cuont: 5, count: "three" }, rejoin: ["server-9"] };
  expect(problemsOf("main", args as unknown as RkeClusterArgs)).toEqual([
    'servers.count: found "three": use a whole number',
    "servers.cuont: unknown setting: did you mean count?",
    'rejoin: found "server-9": the members are server-0, server-1, server-2',
  ]);
});

it("never repeats a key in a message", () => {
  const problems = problemsOf("main", { ...good, login: { privateKey: "hunter2" } });
  expect(problems).toHaveLength(1);
  expect(problems.join()).not.toContain("hunter2");
});
