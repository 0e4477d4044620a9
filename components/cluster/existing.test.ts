// What a customer already has: a name for the API, a bucket for snapshots, keys, a network.
import { load } from "js-yaml";
import { MockGraph } from "../testing/mock-graph";
import { Cluster } from "./cluster";

const KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nlogin-key\n-----END OPENSSH PRIVATE KEY-----\n";
const volumeKey = "arn:aws:kms:eu-central-1:123456789012:key/state";
const zones = ["a", "b", "c"];
let graph: MockGraph;
let kubeconfig: string;
let endpoint: string;

beforeAll(async () => {
  graph = await MockGraph.of(() => {
    const cluster = new Cluster("main", {
      version: "v1.35.7+rke2r1",
      api: { address: "k8s.example.com", names: ["k8s.internal.example.com"] },
      network: {
        existing: {
          vpcId: "vpc-theirs",
          cidr: "10.20.0.0/16",
          privateSubnets: zones.map((zone) => ({ id: `subnet-${zone}`, zone })),
        },
      },
      pools: [{ name: "web" }],
      selfManaged: {
        login: { privateKey: KEY },
        servers: { volumeKmsKeyId: volumeKey },
        etcdSnapshots: { bucket: "their-backups", folder: "main" },
      },
    });
    cluster.kubeconfig.apply((text) => (kubeconfig = text));
    cluster.endpoint.apply((text) => (endpoint = text));
    return cluster;
  });
});

const textOf = (name: string): string => {
  const { inputs } = graph.one("command:remote:Command", name);
  const lines = String(inputs.stdin).split("\n");
  const files = lines.map((line) => Buffer.from(line.split(" ")[2] ?? "", "base64").toString());
  return `${String(inputs.create)}\n${files.join("\n")}`;
};

it("people and the program ask the API at the given name", () => {
  expect(endpoint).toBe("https://k8s.example.com:6443");
  expect(load(kubeconfig)).toMatchObject({ clusters: [{ cluster: { server: endpoint } }] });
});

it("servers register at it, and its certificate holds it", () => {
  for (const member of ["server-0", "server-1", "server-2"]) {
    const text = textOf(`main-${member}-rke2`);
    expect(text).toContain("https://k8s.example.com:9345");
    expect(text).toMatch(/tls-san:\n {2}- k8s\.example\.com\n {2}- k8s\.internal\.example\.com\n/);
  }
});

it("agents register at it", () => {
  const { inputs } = graph.one("aws:ssm/parameter:Parameter", "main-web-join");
  const files = String(inputs.value)
    .split("\n")
    .map((line) => Buffer.from(line.split(" ")[2] ?? "", "base64").toString());
  expect(files.join("\n")).toContain("server: https://k8s.example.com:9345\n");
});

it("snapshots go to the given bucket, by the right to its folder alone", () => {
  expect(textOf("main-server-0-rke2")).toContain("etcd-s3-bucket: their-backups\n");
  const policy = String(graph.one("aws:iam/rolePolicy:RolePolicy", "main-servers").inputs.policy);
  expect(policy).toMatch(/"arn:aws[a-z-]*:s3:::their-backups\/main\/\*"/);
  expect(graph.all("aws:s3/bucket:Bucket")).toEqual([]);
});

it("state volumes are encrypted with the given key, and no network or key is made", () => {
  for (const { inputs } of graph.all("aws:ebs/volume:Volume")) expect(inputs.kmsKeyId).toBe(volumeKey);
  expect(graph.resources.filter(({ type }) => /^aws:(kms|ec2\/(vpc|subnet):)/.test(type))).toEqual([]);
});
