import { load } from "js-yaml";
import { isSecret, MockGraph } from "../../testing/mock-graph";
import { type ClusterArgs, ClusterKind } from "../args";
import { Cluster } from "../cluster";
import { clusterProblems } from "../problems";
import { AccessMode } from "./args";
import { tunnelPort } from "./schema";

const KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nlogin-key\n-----END OPENSSH PRIVATE KEY-----\n";
const INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";
const EGRESS = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule";
const args: ClusterArgs = {
  version: "v1.35.7+rke2r1",
  network: { bastion: { from: ["203.0.113.7/32", "198.51.100.0/24"] } },
  selfManaged: { login: { privateKey: KEY } },
  pools: [{ name: "web" }],
};

let graph: MockGraph;
let cluster: Cluster;
let kubeconfig: string;
beforeAll(async () => {
  graph = await MockGraph.of(() => {
    cluster = new Cluster("main", args);
    cluster.kubeconfig.apply((text) => (kubeconfig = text));
    return cluster;
  });
});

const rulesOf = (type: string): unknown[][] =>
  graph
    .all(type)
    .filter(({ name }) => name.startsWith("main-bastion"))
    .map(({ inputs }) => [inputs.cidrIpv4, inputs.fromPort, inputs.toPort]);

it("stands in a public subnet, without a role, with an address that stays", () => {
  const { inputs } = graph.one("aws:ec2/instance:Instance", "main-bastion-instance");
  expect(inputs).toMatchObject({
    subnetId: "main-network-public-0-id",
    instanceType: "t3.micro",
    metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
    rootBlockDevice: { encrypted: true },
  });
  expect(inputs).not.toHaveProperty("iamInstanceProfile");
  expect(graph.one("aws:ec2/eip:Eip", "main-bastion-address").inputs).toMatchObject({
    instance: "main-bastion-instance-id",
  });
});

it("lets in the named ranges by SSH, and out what it forwards to and updates", () => {
  expect(rulesOf(INGRESS)).toEqual([
    ["203.0.113.7/32", 22, 22],
    ["198.51.100.0/24", 22, 22],
  ]);
  expect(rulesOf(EGRESS)).toEqual([
    ["10.0.0.0/16", 22, 22],
    ["10.0.0.0/16", 6443, 6443],
    ["0.0.0.0/0", 80, 80],
    ["0.0.0.0/0", 443, 443],
  ]);
});

it("has one user, who can forward and nothing else", () => {
  const { inputs, wrapped } = graph.one("aws:ec2/instance:Instance", "main-bastion-instance");
  expect(isSecret(wrapped.userData)).toBe(true);
  const data = load(String(inputs.userData)) as {
    users: { name: string; shell: string; ssh_authorized_keys: string[]; sudo?: string }[];
    write_files: { content: string }[];
  };
  expect(data.users).toEqual([
    expect.objectContaining({
      name: "fw-tunnel",
      shell: "/usr/sbin/nologin",
      ssh_authorized_keys: [
        'restrict,port-forwarding,permitopen="*:22",permitopen="*:6443" ssh-ed25519 login',
      ],
    }),
  ]);
  expect(data.users[0]).not.toHaveProperty("sudo");
  expect(data.write_files[0]?.content).toMatch(/AllowUsers fw-tunnel\n[^]*PermitTTY no/);
});

it("is the only way to log in: no range is let in to nodes", () => {
  const ssh = graph
    .all(INGRESS)
    .filter(({ inputs, name }) => inputs.fromPort === 22 && !name.startsWith("main-bastion"));
  expect(ssh.map(({ name, inputs }) => [name, inputs.referencedSecurityGroupId, inputs.cidrIpv4])).toEqual([
    ["main-servers-ssh-from-bastion", "main-bastion-id", undefined],
    ["main-agents-ssh-from-bastion", "main-bastion-id", undefined],
  ]);
  expect(graph.one(INGRESS, "main-balancer-api-from-bastion").inputs).toMatchObject({ fromPort: 6443 });
});

it("is what every command goes through, by a known host key", () => {
  const commands = graph.all("command:remote:Command");
  expect(commands.length).toBeGreaterThan(10);
  for (const { inputs } of commands)
    expect(inputs.connection).toMatchObject({
      proxy: { user: "fw-tunnel", hostKey: "ssh-ed25519 main-bastion-host-key", privateKey: KEY },
    });
});

it("is what the kubeconfig goes through, at a port that is the same in every run", () => {
  const port = tunnelPort("acme/test/main");
  expect(load(kubeconfig)).toMatchObject({
    clusters: [
      { cluster: { "proxy-url": `socks5://127.0.0.1:${port}`, server: "https://main-api.example:6443" } },
    ],
  });
  expect(cluster.bastion).toMatchObject({ identity: "acme/test/main", localPort: port });
});

it("is made after its network has a way to the internet, and gone before it loses that", () => {
  const { dependencies } = graph.one("fleetwright:index:Bastion", "main-bastion");
  const ways = ["InternetGateway", "Route", "RouteTableAssociation"].flatMap((type) =>
    graph.all(`aws:ec2/${type.charAt(0).toLowerCase()}${type.slice(1)}:${type}`),
  );
  expect(ways.length).toBeGreaterThan(9);
  expect(ways.filter(({ urn }) => !dependencies.includes(urn))).toEqual([]);
});

it("goes to the API inside the network, where that faces the internet too", async () => {
  let open: Cluster | undefined;
  const seen: Record<string, string> = {};
  const facing = await MockGraph.of(() => {
    const api = { isPublic: true, cidrs: ["203.0.113.0/24"] };
    open = new Cluster("main", { ...args, api });
    open.kubeconfig.apply((text) => (seen.kubeconfig = text));
    open.endpoint.apply((text) => (seen.endpoint = text));
    open.bastion?.endpoint.apply((text) => (seen.bastion = text));
    return open;
  });
  expect(seen).toMatchObject({
    endpoint: "https://main-ext.example:6443",
    bastion: "https://main-api.example:6443",
  });
  expect(load(seen.kubeconfig ?? "")).toMatchObject({
    clusters: [{ cluster: { server: "https://main-api.example:6443" } }],
  });
  const fromBastion = facing
    .all(INGRESS)
    .filter(({ inputs }) => inputs.referencedSecurityGroupId === "main-bastion-id");
  expect(fromBastion.map(({ inputs }) => [inputs.securityGroupId, inputs.fromPort])).toEqual([
    ["main-servers-id", 22],
    ["main-agents-id", 22],
    ["main-balancer-id", 6443],
  ]);
});

it("is not there where nobody is named", async () => {
  const { network, ...rest } = args;
  expect(network).toBeDefined();
  const without = await MockGraph.of(() => new Cluster("main", rest));
  expect(without.resources.filter(({ name }) => name.includes("bastion"))).toEqual([]);
  for (const { inputs } of without.all("command:remote:Command"))
    expect(inputs.connection).not.toHaveProperty("proxy");
});

const hosted = { kind: ClusterKind.Hosted, version: "1.35", pools: [{ name: "web" }] };
const zones = ["a", "b", "c"].map((zone) => ({ id: zone, zone }));
const existing = { vpcId: "vpc", cidr: "10.0.0.0/16", privateSubnets: zones };
it.each<[string, Partial<ClusterArgs>, string, RegExp]>([
  [
    "everyone",
    { network: { bastion: { from: ["0.0.0.0/0"] } } },
    "network.bastion.from[0]",
    /that is everyone/,
  ],
  [
    "nobody",
    { network: { bastion: { from: [] } } },
    "network.bastion.from",
    /use a list of 1 or more|name the ranges/,
  ],
  [
    "an address without its length",
    { network: { bastion: { from: ["203.0.113.7"] } } },
    "network.bastion.from[0]",
    /203\.0\.113\.7\/32/,
  ],
  [
    "no bastion",
    { network: { access: AccessMode.Bastion } },
    "network.bastion.from",
    /not set: name the ranges/,
  ],
  [
    "direct beside a bastion",
    { network: { ...args.network, access: AccessMode.Direct } },
    "network.bastion",
    /not used with access direct/,
  ],
  [
    "a network without public subnets",
    { network: { ...args.network, existing } },
    "network.existing.publicSubnets",
    /stands in a public subnet/,
  ],
  [
    "a proxy of one's own",
    { selfManaged: { login: { privateKey: KEY, proxy: { host: "h", hostKey: "k", user: "u" } } } },
    "selfManaged.login.proxy",
    /remove one of the two/,
  ],
])("%s is refused", (_, change, path, message) => {
  expect(clusterProblems("main", { ...args, ...change })).toEqual([
    { path, message: expect.stringMatching(message) as string },
  ]);
});

it("a hosted cluster has no machines of one's own to go to", () => {
  expect(
    clusterProblems("main", { ...hosted, ...(args.network === undefined ? {} : { network: args.network }) }),
  ).toEqual([
    { path: "network.bastion", message: expect.stringMatching(/not used with kind hosted/) as string },
  ]);
});
