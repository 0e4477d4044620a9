import * as pulumi from "@pulumi/pulumi";
import { type ClusterArgs, ClusterKind } from "../args";
import { Cluster } from "../cluster";
import { clusterProblems } from "../problems";
import type { HostedClusterArgs } from "./args";
import { HostedCluster } from "./hosted-cluster";
import { checkHostedCluster } from "./problems";
import { MockGraph } from "../../testing/mock-graph";

const zones = ["a", "b", "c"];
const args: HostedClusterArgs = {
  network: {
    vpcId: "vpc-1",
    cidr: "10.0.0.0/16",
    privateSubnets: zones.map((zone) => ({ id: `private-${zone}`, zone })),
  },
  version: "1.35",
  pools: [
    { name: "web", count: 2, max: 5, taints: [{ key: "dedicated", value: "web", effect: "NoSchedule" }] },
    { name: "system", count: 1 },
  ],
  access: [
    { name: "operators", principalArn: "arn:aws:iam::1:role/operators", level: "ClusterAdmin" },
    {
      name: "developers",
      principalArn: "arn:aws:iam::1:role/developers",
      level: "Edit",
      namespaces: ["web"],
    },
  ],
};
const build = (change: Partial<HostedClusterArgs> = {}): Promise<MockGraph> =>
  MockGraph.of(() => new HostedCluster("main", { ...args, ...change }));

let graph: MockGraph;
beforeAll(async () => {
  graph = await build();
});

describe("a hosted cluster", () => {
  it("is closed, encrypted, logged and protected", () => {
    const cluster = graph.one("aws:eks/cluster:Cluster", "main");
    expect(cluster.inputs).toMatchObject({
      accessConfig: { authenticationMode: "API" },
      deletionProtection: true,
      bootstrapSelfManagedAddons: false,
      enabledClusterLogTypes: ["api", "audit", "authenticator", "controllerManager", "scheduler"],
      encryptionConfig: { provider: { keyArn: "arn:aws:mock:::main-secrets" }, resources: ["secrets"] },
      vpcConfig: { endpointPrivateAccess: true, endpointPublicAccess: false },
      upgradePolicy: { supportType: "STANDARD" },
    });
    expect(cluster.isProtected).toBe(true);
    expect(cluster.ignoresChangesOf).toContain("accessConfig.bootstrapClusterCreatorAdminPermissions");
  });

  it("opens its endpoint to named ranges only", async () => {
    const open = await build({ api: { isPublic: true, cidrs: ["203.0.113.0/24"] } });
    expect(open.one("aws:eks/cluster:Cluster", "main").inputs.vpcConfig).toMatchObject({
      endpointPublicAccess: true,
      publicAccessCidrs: ["203.0.113.0/24"],
    });
  });

  it("knows an identity provider where one is named, by names that are nobody else's", async () => {
    const type = "aws:eks/identityProviderConfig:IdentityProviderConfig";
    expect(graph.all(type)).toEqual([]);
    const oidc = {
      issuer: "https://login.example.com",
      clientId: "kubernetes",
      usernameClaim: "preferred_username",
      groupsClaim: "groups",
      requiredClaims: { hd: "example.com" },
    };
    expect((await build({ identity: { oidc } })).one(type, "main-oidc").inputs).toMatchObject({
      clusterName: "main",
      oidc: {
        issuerUrl: "https://login.example.com",
        clientId: "kubernetes",
        usernameClaim: "preferred_username",
        usernamePrefix: "fleetwright.dev/user:",
        groupsClaim: "groups",
        groupsPrefix: "fleetwright.dev/team:",
        requiredClaims: { hd: "example.com" },
      },
    });
  });

  it("has its add-ons, those for nodes before nodes", () => {
    const addons = graph.all("aws:eks/addon:Addon");
    expect(addons.map(({ inputs }) => inputs.addonName).sort()).toEqual([
      "aws-ebs-csi-driver",
      "coredns",
      "eks-pod-identity-agent",
      "kube-proxy",
      "vpc-cni",
    ]);
    const nodes = graph.one("aws:eks/nodeGroup:NodeGroup", "main-web");
    const before = addons
      .filter(({ urn }) => nodes.dependencies.includes(urn))
      .map(({ inputs }) => inputs.addonName);
    expect(before.sort()).toEqual(["eks-pod-identity-agent", "kube-proxy", "vpc-cni"]);
    expect(graph.one("aws:eks/addon:Addon", "main-coredns").dependencies).toContain(nodes.urn);
  });

  it("gives pods roles of their own, and nodes none for the network", () => {
    expect(
      graph
        .all("aws:eks/podIdentityAssociation:PodIdentityAssociation")
        .map(({ inputs }) => `${String(inputs.namespace)}/${String(inputs.serviceAccount)}`),
    ).toEqual([
      "kube-system/aws-node",
      "kube-system/ebs-csi-controller-sa",
      "fleetwright-system/fleetwright-coordinator",
    ]);
    const policies = graph
      .all("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
      .filter(({ inputs }) => inputs.role === "main-nodes")
      .map(({ inputs }) => inputs.policyArn);
    expect(policies).toEqual([
      "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy",
      "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly",
    ]);
  });

  it("gives the coordinator what it needs to let pods pull from ECR", () => {
    expect(
      graph
        .all("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
        .filter(({ inputs }) => inputs.role === "main-coordinator")
        .map(({ inputs }) => inputs.policyArn),
    ).toEqual(["arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly"]);
  });

  it("has add-ons of the versions that are EKS's own for its version, or those that are named", async () => {
    const versions = (of: MockGraph): unknown =>
      Object.fromEntries(
        of.all("aws:eks/addon:Addon").map(({ inputs }) => [inputs.addonName, inputs.addonVersion]),
      );
    const newest = ["aws-ebs-csi-driver", "coredns", "eks-pod-identity-agent", "kube-proxy", "vpc-cni"];
    expect(versions(graph)).toEqual(Object.fromEntries(newest.map((name) => [name, "for-1.35"])));
    const upgraded = await build({
      version: "1.36",
      nodeVersion: "1.35",
      addonVersions: { coredns: "v1.12.4-eksbuild.1" },
    });
    expect(versions(upgraded)).toMatchObject({ coredns: "v1.12.4-eksbuild.1", "kube-proxy": "for-1.36" });
  });

  it("is patched by one setting: the release of its nodes' image", async () => {
    const patched = await build({ nodeRelease: "1.35.2-20261104" });
    expect(patched.one("aws:eks/nodeGroup:NodeGroup", "main-web").inputs).toMatchObject({
      releaseVersion: "1.35.2-20261104",
      updateConfig: { maxUnavailable: 1 },
    });
    expect(graph.one("aws:eks/nodeGroup:NodeGroup", "main-web").inputs).not.toHaveProperty("releaseVersion");
  });

  it("asks for tokens as whoever makes the cluster", async () => {
    const kubeconfig = async (): Promise<string> => {
      let cluster: HostedCluster | undefined;
      await MockGraph.of(() => (cluster = new HostedCluster("main", args)));
      return new Promise((resolve) => (cluster?.kubeconfig ?? pulumi.output("")).apply(resolve));
    };
    expect(await kubeconfig()).not.toMatch(/AWS_PROFILE|--role-arn/);
    pulumi.runtime.setAllConfig({
      "aws:profile": "acme",
      "aws:assumeRoles": '[{"roleArn":"arn:aws:iam::1:role/deployer"}]',
    });
    try {
      const text = await kubeconfig();
      expect(text).toContain("- name: AWS_PROFILE\n            value: acme\n");
      expect(text).toContain('- "--role-arn"\n          - arn:aws:iam::1:role/deployer\n');
    } finally {
      pulumi.runtime.setAllConfig({});
    }
  });

  it("lets the coordinator ask whether a machine exists, and nothing else by its own policy", () => {
    const { role, policy } = graph.one("aws:iam/rolePolicy:RolePolicy", "main-coordinator").inputs;
    expect(role).toBe("main-coordinator");
    expect(JSON.parse(String(policy))).toMatchObject({
      Statement: [{ Effect: "Allow", Action: ["ec2:DescribeInstances"], Resource: ["*"] }],
    });
  });

  it("lets in who is named, as far as is said", () => {
    expect(
      graph
        .all("aws:eks/accessPolicyAssociation:AccessPolicyAssociation")
        .map(({ inputs }) => [inputs.policyArn, inputs.accessScope]),
    ).toEqual([
      ["arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy", { type: "cluster" }],
      [
        "arn:aws:eks::aws:cluster-access-policy/AmazonEKSEditPolicy",
        { type: "namespace", namespaces: ["web"] },
      ],
    ]);
  });

  it("has nodes with encrypted disks, IMDSv2, and a number that an autoscaler may change", () => {
    const template = graph.one("aws:ec2/launchTemplate:LaunchTemplate", "main-web-template");
    expect(template.inputs).toMatchObject({
      metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
      blockDeviceMappings: [{ ebs: { encrypted: "true", volumeType: "gp3" } }],
    });
    const group = graph.one("aws:eks/nodeGroup:NodeGroup", "main-web");
    expect(group.inputs).toMatchObject({
      scalingConfig: { desiredSize: 2, minSize: 2, maxSize: 5 },
      updateConfig: { maxUnavailable: 1 },
      taints: [{ key: "dedicated", value: "web", effect: "NO_SCHEDULE" }],
    });
    expect(group.ignoresChangesOf).toEqual(["scalingConfig.desiredSize"]);
  });

  it("is upgraded before its nodes", async () => {
    const upgraded = await build({ version: "1.36", nodeVersion: "1.35" });
    expect(upgraded.one("aws:eks/cluster:Cluster", "main").inputs.version).toBe("1.36");
    expect(upgraded.one("aws:eks/nodeGroup:NodeGroup", "main-web").inputs.version).toBe("1.35");
  });
});

it.each<[string, Partial<HostedClusterArgs>, RegExp]>([
  ["an unknown version", { version: "1.20" }, /^version: found "1.20"/],
  ["nodes ahead of the control plane", { nodeVersion: "1.36" }, /none ahead/],
  [
    "a release of another version",
    { nodeRelease: "1.34.2-20261104" },
    /^nodeRelease: .* have the version 1.35/,
  ],
  ["a release that is none", { nodeRelease: "latest" }, /^nodeRelease: .* like 1\.35\.2-20261104/],
  [
    "one zone",
    { network: { ...args.network, privateSubnets: [{ id: "a", zone: "a" }] } },
    /at least 2 zones/,
  ],
  ["an endpoint for everyone", { api: { isPublic: true } }, /^api.cidrs: not set, but/],
  [
    "an unknown level",
    { access: [{ name: "x", principalArn: "a", level: "Root" }] },
    /use one of ClusterAdmin/,
  ],
  ["overlapping ranges", { serviceCidr: "10.0.128.0/20" }, /overlap/],
  ["no pools", { pools: [] }, /^pools: none, but the cluster's own pods .* need a node: add a pool/],
  [
    "pools that take no add-on",
    {
      pools: [
        { name: "web", taints: [{ key: "dedicated", effect: "NoSchedule" }] },
        { name: "empty", count: 0, max: 3 },
      ],
    },
    /^pools: every one is tainted or empty, but/,
  ],
])("refuses %s", (_what, change, message) => {
  const checked = checkHostedCluster("main", { ...args, ...change });
  expect(checked.ok ? [] : checked.problems.map((problem) => `${problem.path}: ${problem.message}`)).toEqual([
    expect.stringMatching(message),
  ]);
});

it.each<[string, NonNullable<HostedClusterArgs["pools"]>]>([
  [
    "CriticalAddonsOnly, which they tolerate",
    [{ name: "a", taints: [{ key: "CriticalAddonsOnly", effect: "NoSchedule" }] }],
  ],
  ["a preference", [{ name: "a", taints: [{ key: "dedicated", effect: "PreferNoSchedule" }] }]],
])("takes the add-ons' pods on nodes with %s", (_what, pools) => {
  expect(checkHostedCluster("main", { ...args, pools }).ok).toBe(true);
});

describe("Cluster", () => {
  const hosted = (): ClusterArgs => ({ kind: ClusterKind.Hosted, version: "1.35", pools: [{ name: "web" }] });

  it("chooses by its kind and gives the same outputs", async () => {
    let cluster: Cluster | undefined;
    const eks = await MockGraph.of(() => (cluster = new Cluster("main", hosted())));
    expect(eks.all("fleetwright:index:HostedCluster")).toHaveLength(1);
    expect(eks.all("fleetwright:index:RkeCluster")).toHaveLength(0);
    expect(await pulumi.isSecret(cluster?.kubeconfig ?? pulumi.output(""))).toBe(true);
    const login = { privateKey: "-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n" };
    for (const [kind, version] of [
      [ClusterKind.Rke2, "v1.35.7+rke2r1"],
      [ClusterKind.Rke, "v1.30.14-rancher1-1"],
    ] as const) {
      const made = await MockGraph.of(
        () =>
          (cluster = new Cluster("main", {
            kind,
            version,
            selfManaged: { login, bootstrap: true },
            pools: [{ name: "web" }],
          })),
      );
      expect(made.all("fleetwright:index:RkeCluster")).toHaveLength(1);
      expect(
        await new Promise((resolve) => (cluster?.stateVolumes ?? pulumi.output([])).apply(resolve)),
      ).toHaveLength(3);
      // No port is open to the internet, every connection knows its host, and every machine keeps its state.
      expect(
        made
          .all("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule")
          .filter(({ inputs }) => JSON.stringify(inputs).includes("/0")),
      ).toEqual([]);
      for (const { inputs } of made.all("command:remote:Command")) {
        expect(String(Reflect.get(Object(inputs.connection), "hostKey"))).toMatch(/^ssh-ed25519 main-/);
      }
      expect(made.all("aws:ec2/instance:Instance")).toHaveLength(kind === ClusterKind.Rke ? 6 : 3);
    }
  });

  it("has a closed network of its own", async () => {
    const made = await MockGraph.of(() => new Cluster("main", hosted()));
    expect(
      made.one("aws:ec2/defaultSecurityGroup:DefaultSecurityGroup", "main-network-default").inputs,
    ).toMatchObject({
      ingress: [],
      egress: [],
    });
    expect(
      made.all("aws:ec2/subnet:Subnet").every(({ inputs }) => inputs.mapPublicIpOnLaunch === false),
    ).toBe(true);
    expect(made.all("aws:ec2/natGateway:NatGateway")).toHaveLength(1);
    expect(
      made.all("aws:ec2/vpcEndpoint:VpcEndpoint").map(({ name }) => name.replace("main-network-", "")),
    ).toEqual(["s3"]);
  });

  it("uses a network that exists and makes none", async () => {
    const existing = { ...args.network, vpcId: "vpc-1", cidr: "10.0.0.0/16" };
    const made = await MockGraph.of(() => new Cluster("main", { ...hosted(), network: { existing } }));
    expect(made.all("aws:ec2/vpc:Vpc")).toEqual([]);
    expect(made.one("aws:eks/cluster:Cluster", "main").inputs.vpcConfig).toMatchObject({
      subnetIds: ["private-a", "private-b", "private-c"],
    });
  });

  it("says everything that is wrong in one message, network and cluster together", () => {
    const problems = clusterProblems("main", {
      version: "v9",
      network: { cidr: "10.42.0.0/16", zones: 1 },
      selfManaged: { login: { privateKey: "" }, servers: { count: 3 } },
    });
    expect(problems.map(({ path }) => path)).toEqual([
      "selfManaged.login.privateKey",
      "version",
      "selfManaged.servers.count",
      "selfManaged.podNetwork.clusterCidr",
    ]);
  });

  it("refuses a kind that it does not know, and missing machines' settings", () => {
    // As it comes out of a stack's settings, where nobody checks types.
    const settings = JSON.parse('{"kind":"k3s","version":"1"}') as ClusterArgs;
    expect(clusterProblems("main", settings)).toEqual([
      { path: "kind", message: 'found "k3s": use one of rke2, rke, hosted' },
    ]);
    expect(clusterProblems("main", { version: "v1.35.7+rke2r1" })).toEqual([
      {
        path: "selfManaged.login.privateKey",
        message: expect.stringMatching(/^not set: give the private SSH key/) as string,
      },
    ]);
  });
});
