import { load, loadAll } from "js-yaml";
import { golden } from "../testing/golden";
import { agentUserData, serverUserData } from "../user-data";
import { auditPolicy } from "./audit-policy";
import { agentConfig, clusterDns, serverConfig, type AgentSettings } from "./config";
import { agentFiles, serverFiles, stateDropIn } from "./files";
import { nodeRights } from "./node-rights";
import { registriesFile } from "./registries";
import type { ServerSettings } from "./settings";

const member = { node: "main-server-1", address: "10.0.112.10" };
const everyHour = { schedule: "0 * * * *", retention: 24, insecure: false, region: "eu-central-1" };
const settings: ServerSettings = {
  clusterName: "main",
  serverCount: 3,
  token: "server-token",
  agentToken: "agent-token",
  names: ["main-api.example.com"],
  clusterCidr: "10.42.0.0/16",
  serviceCidr: "10.43.0.0/16",
  clusterDomain: "cluster.local",
  cni: "canal",
  dedicated: true,
  disable: ["rke2-ingress-nginx"],
  pullFromEcr: false,
  cis: true,
  audit: true,
  secretsEncryption: "secretbox",
  snapshots: { ...everyHour, bucket: "acme-etcd" },
  registries: {},
  oidc: undefined,
};
const plainest: ServerSettings = {
  ...settings,
  dedicated: false,
  disable: [],
  cis: false,
  audit: false,
  secretsEncryption: undefined,
  snapshots: everyHour,
};
const agent: AgentSettings = {
  clusterName: "main",
  pool: "web",
  generation: "1a2b3c4d",
  token: "K10aa::node:agent-token",
  registration: "https://main-api.example.com:9345",
  labels: { tier: "web" },
  taints: [{ key: "dedicated", value: "web", effect: "NoSchedule" }],
  cis: false,
  pullFromEcr: false,
};
const registries = {
  mirrors: [
    { registry: "docker.io", endpoints: ["https://mirror.example.com", "https://other.example.com"] },
  ],
  logins: [
    { host: "mirror.example.com", username: "puller", password: "p: #1", caFile: "/etc/ssl/mirror.pem" },
  ],
};
const login = { user: "fleetwright", publicKey: "ssh-ed25519 AAAA operator\n" };

it("keeps in the bucket what each server keeps, because RKE2 counts there over all servers", () => {
  const s3 = (change: Partial<ServerSettings>): unknown => {
    const config = load(serverConfig(member, { ...settings, ...change })) as Record<string, unknown>;
    return [config["etcd-snapshot-retention"], config["etcd-s3-retention"]];
  };
  expect(s3({})).toEqual([24, 72]);
  expect(s3({ serverCount: 1 })).toEqual([24, 24]);
  expect(s3({ snapshots: everyHour })).toEqual([24, undefined]);
});

it.each([
  ["config.server.yaml", serverConfig(member, settings)],
  ["config.server-plain.yaml", serverConfig(member, plainest)],
  ["config.agent.yaml", agentConfig(agent)],
  ["registries.yaml", registriesFile(registries) ?? ""],
  ["audit-policy.yaml", auditPolicy()],
  ["node-rights.yaml", nodeRights()],
  ["rke2-server.service.d.conf", stateDropIn()],
  [
    "user-data.server.yaml",
    serverUserData(login, {
      privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\nkey\n-----END OPENSSH PRIVATE KEY-----\n",
      publicKey: "ssh-ed25519 BBBB",
    }),
  ],
  [
    "user-data.agent.yaml",
    agentUserData(login, {
      region: "eu-central-1",
      endpoint: "https://ssm.eu-central-1.amazonaws.com",
      parameter: "/fleetwright/main/web",
      groupEndpoint: "https://autoscaling.eu-central-1.amazonaws.com",
      group: "acme-test-main-web",
    }),
  ],
])("renders %s", (name, text) => {
  expect(text).toBe(golden(name, text));
  if (name.endsWith(".yaml")) expect(() => loadAll(text)).not.toThrow();
});

it("keeps every value that YAML might take for something else", () => {
  const text = serverConfig(member, { ...plainest, token: "1e3", agentToken: "yes: #no" });
  expect(load(text)).toMatchObject({
    token: "1e3",
    "agent-token": "yes: #no",
    "write-kubeconfig-mode": "0600",
  });
});

it("has the same critical settings on every server", () => {
  const critical = ["agent-token", "cluster-cidr", "cluster-dns", "cluster-domain", "service-cidr"];
  const of = (address: string): unknown[] => {
    const config = load(serverConfig({ node: address, address }, settings)) as Record<string, unknown>;
    return critical.map((key) => config[key]);
  };
  expect(of("10.0.0.1")).toEqual(of("10.0.0.2"));
  expect(of("10.0.0.1")).not.toContain(undefined);
});

it("keeps static keys for S3 out: the instance's role is enough", () => {
  expect(serverConfig(member, settings)).not.toMatch(/access-key|secret-key/);
});

it.each([
  ["10.43.0.0/16", "10.43.0.10"],
  ["172.20.0.0/20", "172.20.0.10"],
])("puts the DNS service of %s at %s", (range, address) => {
  expect(clusterDns(range)).toBe(address);
});

it("takes files away that are not asked for any more", () => {
  expect(serverFiles(member, plainest).removed).toEqual([
    "/etc/rancher/rke2/registries.yaml",
    "/etc/rancher/rke2/audit-policy.yaml",
  ]);
  expect(agentFiles(agent, registries).removed).toEqual([]);
});

it("keeps files with secrets from everyone but root", () => {
  for (const { path, mode } of serverFiles(member, { ...settings, registries }).files) {
    expect([path, mode ?? "0600"]).toEqual([path, path.endsWith(".conf") ? "0644" : "0600"]);
  }
});

it.each([
  ["server", (pullFromEcr: boolean) => serverFiles(member, { ...settings, pullFromEcr })],
  ["agent", (pullFromEcr: boolean) => agentFiles({ ...agent, pullFromEcr }, {})],
])("lets the kubelet of a %s ask ECR where it is to pull from there", (_, filesOf) => {
  const paths = (pullFromEcr: boolean): string[] => filesOf(pullFromEcr).files.map(({ path }) => path);
  expect(paths(true).filter((path) => !paths(false).includes(path))).toEqual([
    "/usr/local/sbin/fleetwright-aws",
    "/var/lib/rancher/credentialprovider/bin/fleetwright-ecr",
    "/var/lib/rancher/credentialprovider/config.yaml",
  ]);
  const config = filesOf(true).files.find(({ path }) => path.endsWith("credentialprovider/config.yaml"));
  expect(load(config?.content ?? "")).toMatchObject({
    kind: "CredentialProviderConfig",
    providers: [{ name: "fleetwright-ecr", apiVersion: "credentialprovider.kubelet.k8s.io/v1" }],
  });
});

describe("user data", () => {
  const text = agentUserData(login, {
    region: "r",
    endpoint: "https://ssm.example",
    parameter: "/p",
    groupEndpoint: "https://autoscaling.example",
    group: "g",
  });

  it("fits, with room, into the 16 KiB that EC2 takes", () => {
    expect(Buffer.byteLength(text)).toBeLessThan(15 * 1024);
  });

  it("that EC2 would not take is refused before it is sent there", () => {
    const source = { region: "r", endpoint: "e", parameter: "/p", groupEndpoint: "e", group: "g" };
    const long = { user: "admin", publicKey: `ssh-rsa ${"A".repeat(2000)}` };
    expect(() => agentUserData(long, source)).toThrow(
      /^The user data of a node has 1\d{4} bytes, and EC2 takes 16384\. .* use an Ed25519 key/,
    );
  });

  it("holds neither token nor version", () => {
    expect(text).not.toMatch(/K10|agent-token|\+rke2r/);
  });
});

describe("an identity provider", () => {
  const oidc = {
    issuer: "https://login.example.com",
    clientId: "kubernetes",
    usernameClaim: "preferred_username",
    requiredClaims: {},
  };
  const path = "/etc/rancher/rke2/authentication.yaml";

  it.each([
    ["hardened", settings],
    ["plain", plainest],
  ])("is in a file that the API server of a %s cluster reads", (_, given) => {
    const { files } = serverFiles(member, { ...given, oidc });
    const config = load(serverConfig(member, { ...given, oidc })) as { "kube-apiserver-arg": string[] };
    expect(config["kube-apiserver-arg"]).toContain(`authentication-config=${path}`);
    expect(load(files.find((file) => file.path === path)?.content ?? "")).toMatchObject({
      kind: "AuthenticationConfiguration",
      jwt: [{ claimMappings: { username: { prefix: "fleetwright.dev/user:" } } }],
    });
  });

  it("leaves what is sent to a server without one as it was", () => {
    const { files, removed } = serverFiles(member, settings);
    expect([...files.map((file) => file.path), ...removed]).not.toContain(path);
    expect(serverConfig(member, settings)).not.toContain("authentication");
  });
});
