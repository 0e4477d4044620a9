// Every mistake that a stack's file can have is reported in one message, by its path, with the value found and the fix.
import { load } from "js-yaml";
import { describe as described, type Problem } from "./components/problem";
import { settingProblems } from "./components/stack/problems";
import { configOf } from "./test/harness/declared-stack";

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOwFe5W87Abu/SaapW03X4r98zjxPnQepO97fEkQsbeN jane@laptop";

const GOOD = `
environment: dev
cluster:
  version: v1.35.4+rke2r1
  selfManaged: { bootstrap: true }
  pools: [{ name: web }, { name: batch, count: 1 }]
users: [{ name: jane, sshKeys: [{ key: "${KEY}" }] }]
registries: [{ name: hub, provider: github, endpoint: ghcr.io }]
registryCredentials: { hub: { username: robot, password: hush } }
nodeLabels: { cluster: { tier: a }, pools: { web: { disk: nvme }, servers: { etcd: "yes" } } }
plugins: [{ name: metrics, bundled: prometheus }]
roles: [{ name: viewer, rules: [{ apiGroups: [""], resources: [pods], verbs: [get] }] }]
bindings: [{ role: viewer, team: support }]
`;

const problemsOf = (text: string): Problem[] =>
  settingProblems(load(text) as Record<string, unknown>, "fleetwright:");
const linesOf = (text: string): string[] =>
  problemsOf(text).map(({ path, message }) => `${path}: ${message}`);

it("finds nothing wrong with good settings", () => {
  expect(problemsOf(GOOD)).toEqual([]);
});

it.each(["dev", "staging", "prod", "existing", "fleet"])("finds nothing wrong with the stack %s", (stack) => {
  const own = Object.entries(configOf(stack)).flatMap(([key, value]) =>
    key.startsWith("fleetwright:") ? [[key.slice("fleetwright:".length), value] as const] : [],
  );
  expect(settingProblems(Object.fromEntries(own), "fleetwright:")).toEqual([]);
});

it.each([
  ["labels of all nodes only", "nodeLabels: { cluster: { tier: a } }"],
  ["a version that a ClusterUpgrade may go to", "upgradeTo: v1.36.1+rke2r1"],
  ["labels of a pool only", "nodeLabels: { pools: { batch: { disk: nvme } } }"],
  ["no label, user, plugin or role", "nodeLabels: {}\nusers: []\nplugins: []\nroles: []\nbindings: []"],
  [
    "ECR by the role of its pod",
    "registries: [{ name: ecr, provider: ecr, endpoint: 123456789012.dkr.ecr.eu-west-1.amazonaws.com }]\nregistryCredentials: {}",
  ],
  [
    "a plugin in the place of RKE2's own",
    "cluster: { version: v1.35.4+rke2r1, pools: [{ name: web }, { name: batch }], selfManaged: { disable: [rke2-metrics-server] } }\nplugins: [{ name: metrics, bundled: metrics-server }]",
  ],
  [
    "a plugin that EKS does not bring",
    'cluster: { kind: hosted, version: "1.35", pools: [{ name: web }] }\nnodeLabels: {}\nplugins: [{ name: metrics, bundled: metrics-server }]',
  ],
  [
    "a plugin of one's own",
    "plugins: [{ name: own, type: sample, version: 1.0.0, source: { inline: [{ apiVersion: v1, kind: ConfigMap, metadata: { name: a } }] } }]",
  ],
  [
    "everything that a cluster can have",
    `cluster:
  version: v1.35.4+rke2r1
  network: { cidr: 10.20.0.0/16, zoneNames: [a, b, c], nat: per-zone, flowLogDays: 7, tags: { a: b } }
  api: { cidrs: [10.0.0.0/8], isPublic: true, names: [k8s.example.com], address: k8s.example.com }
  pools: [{ name: web, count: 2, min: 1, max: 4, labels: { a: b }, taints: [{ key: a, effect: NoSchedule }], imageId: ami-1 }, { name: batch }]
  selfManaged:
    login: { user: ops, port: 2222, fromCidrs: [10.0.0.0/8], proxy: { host: bastion, hostKey: key, user: ops } }
    rejoin: [server-1]
    servers: { count: 5, volumeKmsKeyId: key, volumeSnapshotIds: { server-0: snap-1 }, dedicated: false }
    podNetwork: { clusterCidr: 10.50.0.0/16, serviceCidr: 10.51.0.0/16, cni: cilium, nodePortCidrs: [10.0.0.0/8] }
    hardening: { secretsEncryption: secretbox }
    disable: [rke2-ingress-nginx]
    etcdSnapshots: { bucket: b, folder: f, region: eu-west-1, endpoint: s3, insecure: true, schedule: "0 0 * * *" }
    volumeSnapshots: { everyHours: 12, at: "04:30", keep: 3 }
    registries: { mirrors: [{ registry: docker.io, endpoints: [https://m] }], logins: [{ host: h, username: u, password: p }] }
    release: { url: https://r, digests: { v1.35.4+rke2r1: ${"a".repeat(64)} } }
    nodePolicyArns: [arn]`,
  ],
])("accepts %s", (_, settings) => {
  const text = settings.split(/\n(?=\w)/).reduce((all, setting) => withSetting(setting, all), GOOD);
  expect(linesOf(text)).toEqual([]);
});

it("accepts an existing cluster, and an empty one beside it", () => {
  expect(linesOf("environment: existing\nkubeContext: other\ncluster: {}")).toEqual([]);
});

/** Each row replaces one line of the good settings, and says what is reported of it. */
const MISTAKES: readonly (readonly [what: string, setting: string, expected: RegExp])[] = [
  [
    "a reserved login",
    "users: [{ name: root }]",
    /^fleetwright:users\[0\]\.name: found "root": .*reserved.*choose another$/,
  ],
  [
    "a key of the wrong kind",
    'users: [{ name: jane, sshKeys: [{ key: "ssh-dss AAAA" }] }]',
    /^fleetwright:users\[0\]\.sshKeys\[0\]\.key: found "ssh-dss AAAA": /,
  ],
  [
    "a user twice",
    "users: [{ name: jane }, { name: jane }]",
    /^fleetwright:users\[1\]\.name: found "jane", which users\[0\] has too/,
  ],
  [
    "a label with a space",
    'nodeLabels: { cluster: { tier: "a b" } }',
    /^fleetwright:nodeLabels\.cluster\.tier: found "a b": /,
  ],
  [
    "a label for no pool",
    "nodeLabels: { pools: { wbe: { disk: nvme } } }",
    /^fleetwright:nodeLabels\.pools\.wbe: no such pool: did you mean web\?$/,
  ],
  [
    "a binding to no role",
    "bindings: [{ role: viewr, team: support }]",
    /^fleetwright:bindings\[0\]\.role: found "viewr": no such role; did you mean viewer\?$/,
  ],
  [
    "an unknown setting",
    "pluginz: []",
    /^fleetwright:pluginz: unknown setting: did you mean fleetwright:plugins\?$/,
  ],
  [
    "an unknown key in a user",
    "users: [{ name: jane, sshKey: x }]",
    /^fleetwright:users\[0\]\.sshKey: unknown setting: did you mean sshKeys\?$/,
  ],
  [
    "the program's own login as a user",
    "users: [{ name: fw-admin }]",
    /^fleetwright:users\[0\]\.name: found "fw-admin": this program logs in/,
  ],
  ["a list that is none", "users: jane", /^fleetwright:users: found "jane": use a list$/],
  ["an entry that is none", "users: [jane]", /^fleetwright:users\[0\]: found "jane": use keys and values$/],
  [
    "two servers",
    "cluster: { version: v1.35.4+rke2r1, pools: [{ name: web }], selfManaged: { servers: { count: 2 } } }",
    /^fleetwright:cluster\.selfManaged\.servers\.count: found 2: use 1, 3 or 5/,
  ],
  [
    "a misspelled key deep in the cluster",
    "cluster: { version: v1.35.4+rke2r1, pools: [{ name: web }], selfManaged: { servers: { cuont: 3 } } }",
    /^fleetwright:cluster\.selfManaged\.servers\.cuont: unknown setting: did you mean count\?$/,
  ],
  [
    "an unsupported version",
    "cluster: { version: v1.19.1+rke2r1, pools: [{ name: web }] }",
    /^fleetwright:cluster\.version: found "v1\.19\.1\+rke2r1": 1\.19 is not supported/,
  ],
  [
    "a version that YAML reads as a number",
    "cluster: { kind: hosted, version: 1.35, pools: [{ name: web }] }",
    /^fleetwright:cluster\.version: found 1\.35: use text, in quotes/,
  ],
  [
    "a plugin that RKE2 brings itself",
    "plugins: [{ name: metrics, bundled: metrics-server }]",
    /^fleetwright:plugins\[0\]\.bundled: found "metrics-server": rke2 brings its own; remove the plugin, or leave RKE2's out by cluster\.selfManaged\.disable: \[rke2-metrics-server\]$/,
  ],
  ["no version", "cluster: { pools: [{ name: web }] }", /^fleetwright:cluster\.version: not set: use text/],
  [
    "an unknown kind",
    "cluster: { kind: k3s, version: v1.35.4+rke2r1, pools: [{ name: web }] }",
    /^fleetwright:cluster\.kind: found "k3s": use one of rke2, rke, hosted$/,
  ],
  [
    "machines' settings for a hosted cluster",
    'cluster: { kind: hosted, version: "1.35", pools: [{ name: web }], selfManaged: {} }',
    /^fleetwright:cluster\.selfManaged: not used with kind hosted/,
  ],
  [
    "a login key in the file",
    "cluster: { version: v1.35.4+rke2r1, pools: [{ name: web }], selfManaged: { login: { privateKey: hunter2 } } }",
    /^fleetwright:cluster\.selfManaged\.login\.privateKey: not a setting.*pulumi config set --secret sshPrivateKey/,
  ],
  [
    "ranges that overlap",
    "cluster: { version: v1.35.4+rke2r1, pools: [{ name: web }], network: { cidr: 10.43.0.0/16 } }",
    /^fleetwright:cluster\.selfManaged\.podNetwork\.serviceCidr: found "10\.43\.0\.0\/16": it overlaps network\.cidr/,
  ],
  [
    "a network that is too small",
    "cluster: { version: v1.35.4+rke2r1, pools: [{ name: web }], network: { cidr: 10.0.0.0/24 } }",
    /^fleetwright:cluster\.network\.cidr: found "10\.0\.0\.0\/24": use a prefix from \/16 to \/20/,
  ],
  [
    "an API that is open to everyone",
    "cluster: { version: v1.35.4+rke2r1, pools: [{ name: web }], api: { cidrs: [0.0.0.0/0] } }",
    /^fleetwright:cluster\.api\.cidrs\[0\]: found "0\.0\.0\.0\/0": that is everyone/,
  ],
  [
    "a pool with bounds that cannot be",
    "cluster: { version: v1.35.4+rke2r1, pools: [{ name: web, min: 4 }] }",
    /^fleetwright:cluster\.pools\[0\]: found min 4, count 2, max 2: use min ≤ count ≤ max$/,
  ],
  [
    "an environment that is no name for a cluster",
    "environment: Production_1",
    /^fleetwright:environment: found "Production_1": use up to 19 lowercase letters/,
  ],
  ["no environment", "environment: ", /^fleetwright:environment: found null: use text/],
  [
    "two clusters",
    "kubeContext: other",
    /^fleetwright:cluster: set exactly one of fleetwright:cluster \(new\) or fleetwright:kubeContext \(existing\)$/,
  ],
  [
    "members beside a cluster of its own",
    "members: [{ name: east, kubeContext: e }]",
    /^fleetwright:members: a stack with members has no cluster of its own: remove fleetwright:cluster/,
  ],
  [
    "members of no hub",
    "members: []",
    /^fleetwright:members: members of which hub\? Set fleetwright:hub\.kubeContext$/,
  ],
  ["a hub without a way to it", "hub: { name: east }", /^fleetwright:hub\.kubeContext: not set: use text/],
  [
    "an end that no member has",
    "hub: { kubeContext: h, onRemove: Keep }",
    /^fleetwright:hub\.onRemove: found "Keep": use one of Orphan, Delete/,
  ],
  [
    "a registry without credentials",
    "registryCredentials: {}",
    /^fleetwright:registries\[0\]: no credentials for "hub": `pulumi config set --secret --path/,
  ],
  [
    "credentials for no registry",
    "registryCredentials: { hub: { password: hush }, hbu: { password: hush } }",
    /^fleetwright:registryCredentials\.hbu: no such registry: did you mean hub\?$/,
  ],
  [
    "an endpoint with a scheme",
    "registries: [{ name: hub, provider: github, endpoint: https://ghcr.io }]",
    /^fleetwright:registries\[0\]\.endpoint: found "https:\/\/ghcr\.io": .*leave out https:\/\//,
  ],
  [
    "an unknown provider",
    "registries: [{ name: hub, provider: githb, endpoint: ghcr.io }]",
    /^fleetwright:registries\[0\]\.provider: found "githb": use one of basic, ecr/,
  ],
  [
    "a plugin that is not bundled",
    "plugins: [{ name: metrics, bundled: metric-server }]",
    /^fleetwright:plugins\[0\]\.bundled: found "metric-server": .*did you mean metrics-server\?$/,
  ],
  [
    "a role without verbs",
    'roles: [{ name: viewer, rules: [{ apiGroups: [""], resources: [pods], verbs: [] }] }]',
    /^fleetwright:roles\[0\]\.rules\[0\]\.verbs: found \[\]: use a list of 1 or more$/,
  ],
  [
    "a binding for nobody",
    "bindings: [{ role: viewer }]",
    /^fleetwright:bindings\[0\]\.user: not set: .*exactly one/,
  ],
  [
    "an image by its tag",
    "agent: { image: registry.test/agent:1 }",
    /^fleetwright:agent\.image: found "registry\.test\/agent:1": use the image's digest/,
  ],
  [
    "too many replicas",
    "coordinator: { replicas: 9 }",
    /^fleetwright:coordinator\.replicas: found 9: use 5 or less$/,
  ],
  [
    "a setting that the program fills in",
    "agent: { namespace: x }",
    /^fleetwright:agent\.namespace: unknown/,
  ],
  ["a label that no object can have", 'labels: { team: "a b" }', /^fleetwright:labels\.team: found "a b": /],
  [
    "a login key that is none",
    "sshPrivateKey: hunter2",
    /^fleetwright:sshPrivateKey: found a value: use the/,
  ],
];

/** The good settings with a line replaced, or added. */
function withSetting(setting: string, settings = GOOD): string {
  const key = /^\w+/.exec(setting)?.[0] ?? "";
  const rest = settings.split(/\n(?=\w)/).filter((line) => !line.trim().startsWith(`${key}:`));
  return [...rest, setting].join("\n");
}

it.each(MISTAKES)("reports %s", (_, setting, expected) => {
  const lines = linesOf(withSetting(setting));
  expect(lines).toContainEqual(expect.stringMatching(expected));
  expect(lines.join("\n")).not.toMatch(/hunter2|hush/);
});

it("reports all mistakes of all settings in one message", () => {
  const text = `
environment: dev
cluster:
  version: v1.35.4+rke2r1
  selfManaged: { servers: { cuont: 3 }, rejoin: [server-9] }
  pools: [{ name: web }]
users: [{ name: root }, { name: jane, sshKeys: [{ key: x }] }, { name: jane }]
nodeLabels: { cluster: { tier: "a b" }, pools: { wbe: { disk: nvme } } }
bindings: [{ role: viewer, team: support }]
pluginz: []
`;
  expect(described("stack settings", problemsOf(text)).split("\n")).toEqual([
    "Invalid stack settings (9 problems):",
    expect.stringMatching(/^ {2}fleetwright:pluginz: /),
    expect.stringMatching(/^ {2}fleetwright:cluster\.selfManaged\.servers\.cuont: /),
    expect.stringMatching(/^ {2}fleetwright:cluster\.selfManaged\.rejoin: found "server-9": /),
    expect.stringMatching(/^ {2}fleetwright:users\[0\]\.name: /),
    expect.stringMatching(/^ {2}fleetwright:users\[1\]\.sshKeys\[0\]\.key: /),
    expect.stringMatching(/^ {2}fleetwright:users\[2\]\.name: /),
    expect.stringMatching(/^ {2}fleetwright:nodeLabels\.cluster\.tier: /),
    expect.stringMatching(/^ {2}fleetwright:nodeLabels\.pools\.wbe: /),
    expect.stringMatching(
      /^ {2}fleetwright:bindings\[0\]\.role: found "viewer": no such role; none is declared/,
    ),
  ]);
});
