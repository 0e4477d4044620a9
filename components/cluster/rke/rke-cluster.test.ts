import * as pulumi from "@pulumi/pulumi";
import { isSecret, MockGraph, type RegisteredResource } from "../../testing/mock-graph";
import type { NetworkReference } from "../network/network-reference";
import { MAX_NAME_LENGTH } from "../common-schema";
import { Cluster } from "../cluster";
import { NatMode } from "../network/args";
import { debianOwner } from "./machine-image";
import { Distribution, type RkeClusterArgs } from "./args";
import { RkeCluster } from "./rke-cluster";

const INSTANCE = "aws:ec2/instance:Instance";
const COMMAND = "command:remote:Command";
const INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";
const KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nlogin-key\n-----END OPENSSH PRIVATE KEY-----\n";
const zones = ["a", "b", "c"];
const network: NetworkReference = {
  vpcId: "vpc-1",
  cidr: "10.0.0.0/16",
  privateSubnets: zones.map((zone) => ({ id: `private-${zone}`, zone })),
  publicSubnets: zones.map((zone) => ({ id: `public-${zone}`, zone })),
  controlSubnets: zones.map((zone, index) => ({
    id: `control-${zone}`,
    zone,
    cidr: `10.0.${48 + 64 * index}.0/24`,
  })),
};
const args: RkeClusterArgs = {
  network,
  version: "v1.35.7+rke2r1",
  login: { privateKey: KEY },
  bootstrap: true,
  pools: [{ name: "web", count: 3 }],
};
const build = (change: Partial<RkeClusterArgs> = {}): Promise<MockGraph> =>
  MockGraph.of(() => new RkeCluster("main", { ...args, ...change }));

let graph: MockGraph;
beforeAll(async () => {
  graph = await build();
});

const property = (resource: RegisteredResource, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (value === undefined ? undefined : Reflect.get(Object(value), key)),
    resource.inputs,
  );

/** The contents of packed files. */
const filesOf = (text: unknown): string =>
  String(text)
    .split("\n")
    .map((line) => Buffer.from(line.split(" ")[2] ?? "", "base64").toString())
    .join("\n");

describe("the servers of a cluster", () => {
  it("are three, each in its zone with its address, volume and interface", () => {
    expect(graph.all(INSTANCE).map(({ name }) => name)).toEqual(
      [0, 1, 2].map((n) => `main-server-${n}-instance`),
    );
    expect(
      graph.all("aws:ec2/networkInterface:NetworkInterface").map(({ inputs }) => inputs.privateIps),
    ).toEqual([["10.0.48.10"], ["10.0.112.10"], ["10.0.176.10"]]);
    expect(graph.all("aws:ebs/volume:Volume").map(({ inputs }) => inputs.availabilityZone)).toEqual(zones);
  });

  it("go before they are replaced, because volume and address can be in one place only", () => {
    for (const type of [INSTANCE, "aws:ec2/volumeAttachment:VolumeAttachment"]) {
      expect(graph.all(type).map(({ deletesFirst }) => deletesFirst)).toEqual([true, true, true]);
    }
    for (const { inputs } of graph.all("aws:ec2/volumeAttachment:VolumeAttachment")) {
      expect(inputs).toMatchObject({ stopInstanceBeforeDetaching: true });
      expect(inputs).not.toHaveProperty("forceDetach");
    }
  });

  it("are replaced and not only stopped for another instance type, so that each is waited for", () => {
    for (const instance of graph.all(INSTANCE)) {
      expect(instance.replacedOnChangesOf).toEqual(["instanceType"]);
    }
    for (const index of [0, 1, 2]) {
      expect(graph.one(COMMAND, `main-server-${index}-rke2`).inputs.triggers).toEqual([
        `main-server-${index}-instance-id`,
      ]);
    }
  });

  it("are touched one after another: each instance waits until the server before it is well", () => {
    const well = [0, 1, 2].map((n) => graph.one(COMMAND, `main-server-${n}-rke2`).urn);
    const waits = graph
      .all(INSTANCE)
      .map(({ dependencies }) =>
        dependencies.filter((urn) => well.includes(urn)).map((urn) => well.indexOf(urn)),
      );
    expect(waits).toEqual([[], [0], [1]]);
  });

  it("do not depend by a property on another server's machine, or one replacement would carry all away", () => {
    for (const [index, server] of [0, 1, 2].entries()) {
      const others = [0, 1, 2].filter((n) => n !== index).map((n) => `main-server-${n}-instance-id`);
      for (const resource of graph.resources.filter(({ name }) =>
        name.startsWith(`main-server-${server}-`),
      )) {
        expect(others.filter((id) => JSON.stringify(resource.inputs).includes(id))).toEqual([]);
      }
    }
  });

  it("keep their state: volumes, interfaces and the token are protected and retained", () => {
    const kept = [
      ...graph.all("aws:ebs/volume:Volume"),
      ...graph.all("aws:ec2/networkInterface:NetworkInterface"),
      graph.one("tls:index/privateKey:PrivateKey", "main-token"),
    ];
    expect(kept).toHaveLength(7);
    for (const { name, isProtected, isRetained } of kept)
      expect([name, isProtected, isRetained]).toEqual([name, true, true]);
  });

  it("keep nothing with retain: false", async () => {
    const loose = await build({ servers: { retain: false } });
    expect(loose.resources.filter(({ isProtected, isRetained }) => isProtected || isRetained)).toEqual([]);
  });

  it("have encrypted disks that no change of the image or key replaces", () => {
    for (const volume of graph.all("aws:ebs/volume:Volume")) {
      expect(volume.inputs).toMatchObject({ encrypted: true, type: "gp3" });
      expect(volume.ignoresChangesOf).toEqual(
        expect.arrayContaining(["availabilityZone", "kmsKeyId", "snapshotId"]),
      );
    }
    for (const instance of graph.all(INSTANCE)) {
      expect(property(instance, "rootBlockDevice", "encrypted")).toBe(true);
      expect(instance.ignoresChangesOf).toEqual(["ami"]);
    }
  });

  it("are patched by one setting: another image by its name, for servers and pools", async () => {
    const imageName = "debian-12-amd64-20261103-2285";
    const patched = await build({
      imageName,
      pools: [{ name: "web" }, { name: "own", imageId: "ami-ours" }],
    });
    expect(patched.all(INSTANCE).map(({ ignoresChangesOf }) => ignoresChangesOf)).toEqual([[], [], []]);
    const template = (pool: string): RegisteredResource =>
      patched.one("aws:ec2/launchTemplate:LaunchTemplate", `main-${pool}-template`);
    expect(template("web").ignoresChangesOf).toEqual([]);
    expect(template("own").inputs.imageId).toBe("ami-ours");
    const names = patched.calls("aws:ec2/getAmi:getAmi").map((args) => JSON.stringify(args));
    expect(names.filter((text) => text.includes(imageName))).toHaveLength(2);
  });

  it("follow an image that is named", async () => {
    const pinned = await build({ servers: { imageId: "ami-ours" } });
    for (const instance of pinned.all(INSTANCE)) {
      expect([instance.inputs.ami, instance.ignoresChangesOf]).toEqual(["ami-ours", []]);
    }
  });

  it("look at a volume once in its life, whatever becomes of machine and settings", () => {
    for (const index of [0, 1, 2]) {
      const first = graph.one(COMMAND, `main-server-${index}-volume`);
      expect(first.inputs.triggers).toEqual([`main-server-${index}-state-volume-id`]);
      expect(first.ignoresChangesOf).toContain("create");
      const mounted = graph.one(COMMAND, `main-server-${index}-mounted`);
      expect(mounted.inputs.triggers).toEqual([`main-server-${index}-instance-id`, 20]);
      expect(mounted.inputs.create).toContain("FORMAT='\\''no'\\''");
    }
  });

  it("may found a cluster only as the first one and with permission", async () => {
    const permission = (of: MockGraph): unknown[] =>
      [0, 1, 2].map((index) => {
        const text = String(of.one(COMMAND, `main-server-${index}-volume`).inputs.create);
        return ["FORMAT", "FOUND"]
          .map((name) => new RegExp(`${name}='\\\\''(yes|no)'`).exec(text)?.[1])
          .join();
      });
    expect(permission(graph)).toEqual(["yes,yes", "yes,no", "yes,no"]);
    expect(permission(await build({ bootstrap: false }))).toEqual(["no,no", "no,no", "no,no"]);
    expect(permission(await build({ bootstrap: false, rejoin: ["server-0"] }))).toEqual([
      "yes,no",
      "no,no",
      "no,no",
    ]);
  });

  it("leave the cluster when they leave the program, but not when all of it goes", () => {
    const balancer = graph.one("aws:lb/loadBalancer:LoadBalancer", "main-api");
    for (const index of [0, 1, 2]) {
      const member = graph.one(COMMAND, `main-server-${index}-member`);
      expect(member.deletedWith).toBe(balancer.urn);
      expect(String(member.inputs.delete)).toContain("delete node");
      expect(member.inputs).not.toHaveProperty("create");
      // The one before it goes after it.
      const before = index === 0 ? [] : [graph.one(COMMAND, `main-server-${index - 1}-member`).urn];
      expect(member.dependencies.filter((urn) => urn.endsWith("-member"))).toEqual(before);
    }
  });
});

describe("metadata and roles", () => {
  it("answer to sessions only, over one hop", () => {
    const options = [...graph.all(INSTANCE), ...graph.all("aws:ec2/launchTemplate:LaunchTemplate")].map(
      ({ inputs }) => inputs.metadataOptions,
    );
    expect(options).toHaveLength(4);
    for (const option of options) {
      expect(option).toMatchObject({
        httpTokens: "required",
        httpPutResponseHopLimit: 1,
        httpEndpoint: "enabled",
      });
    }
  });

  it("allow agents their join parameter and a word to their group, and nothing else", () => {
    expect(
      graph
        .all("aws:iam/rolePolicy:RolePolicy")
        .filter(({ name }) => name === "main-agents")
        .map(({ inputs }): unknown => JSON.parse(String(inputs.policy))),
    ).toEqual([
      {
        Version: "2012-10-17",
        Statement: [
          { Effect: "Allow", Action: ["ssm:GetParameter"], Resource: ["arn:aws:mock:::main-web-join"] },
          {
            Effect: "Allow",
            Action: ["autoscaling:CompleteLifecycleAction"],
            Resource: ["arn:aws:autoscaling:*:*:autoScalingGroup:*:autoScalingGroupName/acme-test-main-web"],
          },
        ],
      },
    ]);
  });

  it("allow all nodes to pull from ECR, where that is asked for", async () => {
    const pulling = await build({ pullFromEcr: true });
    for (const name of ["main-servers", "main-agents"]) {
      const policy = String(pulling.one("aws:iam/rolePolicy:RolePolicy", name).inputs.policy);
      expect(policy).toContain('"ecr:GetAuthorizationToken"');
      expect(policy).toContain('"arn:aws:ecr:*:*:repository/*"');
      expect(policy).not.toMatch(/ecr:(Put|Delete|Initiate|Create)/);
    }
    expect(
      graph
        .all("aws:iam/rolePolicy:RolePolicy")
        .filter(({ inputs }) => String(inputs.policy).includes("ecr:")),
    ).toEqual([]);
  });

  it("allow servers nothing, or their snapshots' folder", async () => {
    expect(graph.all("aws:iam/rolePolicy:RolePolicy").map(({ name }) => name)).not.toContain("main-servers");
    const backed = await build({ etcdSnapshots: { bucket: "acme-etcd" } });
    const policy = backed.one("aws:iam/rolePolicy:RolePolicy", "main-servers").inputs.policy;
    expect(String(policy)).toContain('"arn:aws:s3:::acme-etcd/main/*"');
    expect(String(policy)).not.toContain('"*"');
  });
});

describe("the firewall", () => {
  const rule = ({ name, inputs }: RegisteredResource): string =>
    `${name}: ${String(inputs.ipProtocol)} ${String(inputs.fromPort)}-${String(inputs.toPort)} from ${String(inputs.cidrIpv4 ?? inputs.referencedSecurityGroupId)}`;

  it("opens exactly these ports", () => {
    const nodes = ["servers", "agents"];
    expect(graph.all(INGRESS).map(rule).sort()).toEqual(
      [
        ...["servers", "agents", "balancer"].flatMap((from) =>
          [6443, 9345].map(
            (port) => `main-servers-tcp-${port}-from-${from}: tcp ${port}-${port} from main-${from}-id`,
          ),
        ),
        ...nodes.flatMap((from) =>
          [6443, 9345].map(
            (port) => `main-balancer-tcp-${port}-from-${from}: tcp ${port}-${port} from main-${from}-id`,
          ),
        ),
        "main-servers-tcp-2379-from-servers: tcp 2379-2380 from main-servers-id",
        ...nodes.flatMap((to) =>
          nodes.flatMap((from) => [
            `main-${to}-tcp-10250-from-${from}: tcp 10250-10250 from main-${from}-id`,
            `main-${to}-udp-8472-from-${from}: udp 8472-8472 from main-${from}-id`,
            `main-${to}-tcp-9808-from-${from}: tcp 9808-9808 from main-${from}-id`,
          ]),
        ),
        "main-balancer-api-0: tcp 6443-6443 from 10.0.0.0/16",
        "main-servers-ssh-0: tcp 22-22 from 10.0.0.0/16",
        "main-agents-ssh-0: tcp 22-22 from 10.0.0.0/16",
      ].sort(),
    );
  });

  it("faces the internet by a second load balancer, for the API only", async () => {
    const open = await build({ api: { isPublic: true, cidrs: ["203.0.113.0/24"] } });
    const balancers = open.all("aws:lb/loadBalancer:LoadBalancer");
    expect(balancers.map(({ name, inputs }) => [name, inputs.internal, inputs.subnets])).toEqual([
      ["main-api", true, zones.map((zone) => `private-${zone}`)],
      ["main-ext", false, zones.map((zone) => `public-${zone}`)],
    ]);
    expect(
      open.all("aws:lb/listener:Listener").map(({ name, inputs }) => `${name} ${String(inputs.port)}`),
    ).toEqual(["main-api 6443", "main-join 9345", "main-ext 6443"]);
    const closed = new Set(graph.all(INGRESS).map(rule));
    expect(
      open
        .all(INGRESS)
        .map(rule)
        .filter((line) => !closed.has(line))
        .sort(),
    ).toEqual([
      "main-balancer-api-0: tcp 6443-6443 from 203.0.113.0/24",
      "main-public-api-0: tcp 6443-6443 from 203.0.113.0/24",
      "main-servers-tcp-6443-from-public: tcp 6443-6443 from main-public-id",
    ]);
  });

  it("lets nodes register inside the network, whoever else may use the API", async () => {
    const open = await build({
      api: { isPublic: true, cidrs: ["203.0.113.0/24"], address: "k8s.example.com" },
    });
    const registration = "https://main-api.example:9345";
    expect(String(open.one(COMMAND, "main-server-1-rke2").inputs.create)).toContain(registration);
    expect(filesOf(open.one("aws:ssm/parameter:Parameter", "main-web-join").inputs.value)).toContain(
      `server: ${registration}`,
    );
    // Both names are in the certificate, and each once.
    expect(filesOf(open.one(COMMAND, "main-server-1-rke2").inputs.stdin)).toContain(
      "tls-san:\n  - main-api.example\n  - k8s.example.com\n",
    );
    expect(filesOf(graph.one(COMMAND, "main-server-1-rke2").inputs.stdin)).toContain(
      "tls-san:\n  - main-api.example\ncluster-cidr",
    );
  });

  it("opens nothing to the internet", async () => {
    const open = await build({
      api: { isPublic: true, cidrs: ["203.0.113.0/24"] },
      podNetwork: { nodePortCidrs: ["198.51.100.0/24"] },
    });
    for (const of of [graph, open]) {
      expect(of.all(INGRESS).filter(({ inputs }) => JSON.stringify(inputs).includes("/0"))).toEqual([]);
    }
    expect(open.all(INGRESS).map(rule)).toContain("main-balancer-api-0: tcp 6443-6443 from 203.0.113.0/24");
  });

  it("stands before a load balancer that hands servers their own calls back", () => {
    for (const { inputs } of graph.all("aws:lb/targetGroup:TargetGroup")) {
      expect(inputs).toMatchObject({ targetType: "ip", preserveClientIp: "false", protocol: "TCP" });
    }
    expect(graph.one("aws:lb/loadBalancer:LoadBalancer", "main-api").inputs).toMatchObject({
      internal: true,
    });
    expect(
      graph
        .all("aws:lb/targetGroupAttachment:TargetGroupAttachment")
        .map(({ inputs }) => `${String(inputs.targetId)}:${String(inputs.port)}`),
    ).toEqual(
      [6443, 9345].flatMap((port) =>
        ["10.0.48.10", "10.0.112.10", "10.0.176.10"].map((ip) => `${ip}:${port}`),
      ),
    );
  });
});

describe("secrets", () => {
  const secrets = [KEY, "main-server-0-host-key\n-----END"];

  it("are marked as such: connections, what goes over them, what comes back", () => {
    for (const command of graph.all(COMMAND)) {
      expect([command.name, "stdin" in command.wrapped ? isSecret(command.wrapped.stdin) : true]).toEqual([
        command.name,
        true,
      ]);
      expect(property(command, "connection", "privateKey")).toBe(KEY);
      // The SDK of the command provider makes the whole connection a secret.
      expect(isSecret(command.wrapped.connection)).toBe(true);
    }
    for (const name of ["main-server-0-ca-digest", "main-server-0-kubeconfig"]) {
      const reader = graph.one(COMMAND, name);
      expect([reader.secretOutputs, reader.inputs.logging]).toEqual([["stdout", "connection"], "stderr"]);
    }
    for (const instance of graph.all(INSTANCE)) expect(isSecret(instance.wrapped.userData)).toBe(true);
    for (const parameter of graph.all("aws:ssm/parameter:Parameter")) {
      expect([isSecret(parameter.wrapped.value), parameter.inputs.type]).toEqual([true, "SecureString"]);
    }
  });

  it("come with a known host key on every connection, and on that of a proxy", async () => {
    for (const command of graph.all(COMMAND)) {
      expect(String(property(command, "connection", "hostKey"))).toMatch(
        /^ssh-ed25519 main-server-\d-host-key$/,
      );
    }
    const proxied = await build({
      login: { privateKey: KEY, proxy: { host: "bastion", user: "jump", hostKey: "ssh-ed25519 bastion" } },
    });
    for (const command of proxied.all(COMMAND)) {
      expect(property(command, "connection", "proxy")).toMatchObject({
        host: "bastion",
        hostKey: "ssh-ed25519 bastion",
      });
    }
  });

  it("are in no command line, in no user data but the host key's, and in no component's arguments", () => {
    const tokens = /[0-9a-f]{64}/;
    for (const command of graph.all(COMMAND)) {
      for (const text of [command.inputs.create, command.inputs.delete]) {
        for (const secret of secrets) expect(String(text)).not.toContain(secret);
        expect(String(text)).not.toMatch(tokens);
      }
    }
    for (const template of graph.all("aws:ec2/launchTemplate:LaunchTemplate")) {
      const text = Buffer.from(String(template.inputs.userData), "base64").toString();
      expect(text).toContain("#cloud-config");
      expect(text).not.toMatch(/PRIVATE KEY|K10|token:/);
    }
    for (const instance of graph.all(INSTANCE))
      expect(String(instance.inputs.userData)).not.toMatch(/K10|token|login-key/);
    for (const component of graph.resources.filter(({ type }) => type.startsWith("fleetwright:"))) {
      expect(JSON.stringify(component.inputs)).not.toContain("login-key");
    }
  });

  it("are not the same for agents and servers", () => {
    const server = filesOf(graph.one(COMMAND, "main-server-1-rke2").inputs.stdin);
    const agent = filesOf(graph.one("aws:ssm/parameter:Parameter", "main-web-join").inputs.value);
    const [token = ""] = /(?<=::server:)\S+/.exec(server) ?? [];
    const [agentToken = ""] = /(?<=::node:)\S+/.exec(agent) ?? [];
    expect(server).toContain(`agent-token: ${agentToken}`);
    expect([token.length, agentToken.length, token === agentToken]).toEqual([64, 64, false]);
    expect(agent).not.toContain(token);
  });
});

describe("pools", () => {
  it("come after the last server, and count as there when their nodes are Ready", () => {
    const last = graph.one(COMMAND, "main-server-2-rke2").urn;
    expect(graph.one("aws:ssm/parameter:Parameter", "main-web-join").dependencies).toContain(last);
    const gate = graph.one(COMMAND, "main-server-0-pool-web");
    expect(gate.dependencies).toContain(graph.one("aws:autoscaling/group:Group", "main-web-group").urn);
    expect(String(gate.inputs.create)).toContain("MIN='\\''3'\\''\nMAX='\\''3'\\''");
  });

  it("count a node when it is Ready, and let it go when it has left", () => {
    const { inputs } = graph.one("aws:autoscaling/group:Group", "main-web-group");
    expect(inputs.initialLifecycleHooks).toMatchObject([
      { name: "joined", lifecycleTransition: "autoscaling:EC2_INSTANCE_LAUNCHING", defaultResult: "ABANDON" },
      {
        name: "left",
        lifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
        defaultResult: "CONTINUE",
      },
    ]);
    const template = graph.one("aws:ec2/launchTemplate:LaunchTemplate", "main-web-template");
    const text = Buffer.from(String(template.inputs.userData), "base64").toString();
    expect([inputs.name, text]).toEqual([
      "acme-test-main-web",
      expect.stringContaining("GROUP='acme-test-main-web'"),
    ]);
  });

  it("leave their number to an autoscaler where there is room for one", async () => {
    const scaled = await build({ pools: [{ name: "web", count: 3, min: 1, max: 9 }] });
    expect(graph.one("aws:autoscaling/group:Group", "main-web-group").ignoresChangesOf).toEqual([]);
    expect(scaled.one("aws:autoscaling/group:Group", "main-web-group").ignoresChangesOf).toEqual([
      "desiredCapacity",
    ]);
    expect(String(scaled.one(COMMAND, "main-server-0-pool-web").inputs.create)).toContain(
      "MIN='\\''1'\\''\nMAX='\\''9'\\''",
    );
  });

  it("roll when what they are made from changes, and keep their user data", async () => {
    const changed = await build({ version: "v1.36.3+rke2r1" });
    const template = (of: MockGraph): RegisteredResource =>
      of.one("aws:ec2/launchTemplate:LaunchTemplate", "main-web-template");
    expect(template(changed).inputs.userData).toEqual(template(graph).inputs.userData);
    expect(template(changed).inputs.tagSpecifications).not.toEqual(template(graph).inputs.tagSpecifications);
    expect(graph.one("aws:autoscaling/group:Group", "main-web-group").inputs).toMatchObject({
      desiredCapacity: 3,
      instanceRefresh: {
        strategy: "Rolling",
        preferences: { minHealthyPercentage: 100, maxHealthyPercentage: 110, skipMatching: true },
      },
    });
  });
});

describe("a cluster of RKE", () => {
  const rke = (change: Partial<RkeClusterArgs> = {}): Promise<MockGraph> =>
    build({ distribution: Distribution.Rke, version: "v1.30.14-rancher1-1", ...change });

  it("makes the machines of a pool as the pool says", async () => {
    const made = await rke({
      servers: { imageId: "ami-servers" },
      pools: [
        { name: "web", count: 1, instanceType: "c7i.xlarge", imageId: "ami-pool", rootVolumeSize: 80 },
        { name: "plain", count: 1 },
      ],
    });
    const machine = (member: string): unknown[] => {
      const instance = made.one(INSTANCE, `main-${member}-instance`);
      return [
        instance.inputs.instanceType,
        instance.inputs.ami,
        property(instance, "rootBlockDevice", "volumeSize"),
      ];
    };
    expect(machine("web-0")).toEqual(["c7i.xlarge", "ami-pool", 80]);
    expect(machine("plain-0")).toEqual(["m7i.large", "ami-servers", 40]);
    expect(machine("server-0")).toEqual(["m7i.large", "ami-servers", 40]);
  });

  it("may write its copies of etcd to the bucket that is named, and nothing without one", async () => {
    const named = await rke({ etcdSnapshots: { bucket: "acme-etcd" } });
    expect(String(named.one("aws:iam/rolePolicy:RolePolicy", "main-nodes").inputs.policy)).toContain(
      '"arn:aws:s3:::acme-etcd/main/*"',
    );
    expect((await rke()).all("aws:iam/rolePolicy:RolePolicy").map(({ name }) => name)).not.toContain(
      "main-nodes",
    );
  });
});

describe("in another partition of AWS", () => {
  it.each([
    ["aws-us-gov", "amazonaws.com", "com.amazonaws"],
    ["aws-cn", "amazonaws.com.cn", "cn.com.amazonaws"],
  ])("nothing names that of %s wrongly", async (partition, dnsSuffix, reverseDnsPrefix) => {
    const there = await MockGraph.of(
      () =>
        new Cluster("main", {
          version: args.version,
          network: { nat: NatMode.None },
          selfManaged: {
            login: { privateKey: KEY },
            servers: { imageId: "ami-ours" },
            etcdSnapshots: { bucket: "acme-etcd" },
          },
          pools: [{ name: "web", imageId: "ami-ours" }],
        }),
      { partition, dnsSuffix, reverseDnsPrefix },
    );
    const policies = there.all("aws:iam/rolePolicy:RolePolicy").map(({ inputs }) => String(inputs.policy));
    expect(policies.join().match(/arn:aws:(?!mock)[^"]*/g) ?? []).toEqual([]);
    expect(policies.join()).toContain(`arn:${partition}:s3:::acme-etcd/main/*`);
    expect(there.one("aws:iam/role:Role", "main-servers").inputs.assumeRolePolicy).toContain(
      `"ec2.${dnsSuffix}"`,
    );
    const template = there.one("aws:ec2/launchTemplate:LaunchTemplate", "main-web-template");
    const userData = Buffer.from(String(template.inputs.userData), "base64").toString();
    expect(userData).toContain(`https://ssm.eu-central-1.${dnsSuffix}'`);
    expect(there.all("aws:ec2/vpcEndpoint:VpcEndpoint").map(({ inputs }) => inputs.serviceName)).toEqual([
      "com.amazonaws.eu-central-1.s3",
      `${reverseDnsPrefix}.eu-central-1.ssm`,
      `${reverseDnsPrefix}.eu-central-1.autoscaling`,
    ]);
  });

  it("asks for an image by name, because Debian's account is another's there", () => {
    expect(debianOwner("aws")).toBe("136693071363");
    expect(() => debianOwner("aws-cn")).toThrow(
      /in the partition aws-cn .*: name one of yours in servers\.imageId/,
    );
  });
});

describe("the longest names", () => {
  /** The most characters that AWS takes, from the reference of its APIs. */
  const limits: Readonly<Record<string, number>> = {
    "aws:autoscaling/group:Group": 255,
    "aws:ec2/launchTemplate:LaunchTemplate": 128,
    "aws:ec2/securityGroup:SecurityGroup": 255,
    "aws:iam/instanceProfile:InstanceProfile": 128,
    "aws:iam/role:Role": 64,
    "aws:iam/rolePolicy:RolePolicy": 128,
    "aws:lb/loadBalancer:LoadBalancer": 32,
    "aws:lb/targetGroup:TargetGroup": 32,
  };
  /** What the engine puts behind a name that a program gives: a dash and seven digits. */
  const RANDOM = 8;

  it.each([Distribution.Rke2, Distribution.Rke])(
    "of a cluster of %s are taken by AWS",
    async (distribution) => {
      const longest = await MockGraph.of(
        () =>
          new RkeCluster("n".repeat(MAX_NAME_LENGTH.selfManaged), {
            ...args,
            ...(distribution === Distribution.Rke ? { version: "v1.30.14-rancher1-1" } : {}),
            distribution,
            api: { isPublic: true, cidrs: ["203.0.113.0/24"] },
            pools: [{ name: "p".repeat(20), count: 1 }],
          }),
      );
      const lengths = longest.resources.flatMap(({ type, name, inputs }) => {
        const most = limits[type];
        const length = typeof inputs.name === "string" ? inputs.name.length : name.length + RANDOM;
        return most === undefined ? [] : [{ name, type, length, most }];
      });
      expect(lengths.length).toBeGreaterThan(6);
      expect(lengths.filter(({ length, most }) => length > most)).toEqual([]);
      // As long as they can be: one more would be too long.
      expect(
        lengths.some(({ length, most, type }) => most === 32 && length === most && type.includes("lb/")),
      ).toBe(distribution === Distribution.Rke2);
    },
  );
});

describe("what an autoscaler reads", () => {
  it("is on groups that it may change, and on no others", async () => {
    const scaled = await build({
      pools: [
        {
          name: "web",
          count: 1,
          min: 0,
          max: 9,
          labels: { tier: "web" },
          taints: [{ key: "dedicated", value: "web", effect: "NoSchedule" }],
        },
        { name: "fixed" },
      ],
    });
    const tags = (pool: string): Record<string, string> =>
      Object.fromEntries(
        (
          scaled.one("aws:autoscaling/group:Group", `main-${pool}-group`).inputs.tags as {
            key: string;
            value: string;
          }[]
        )
          .filter(({ key }) => key.startsWith("k8s.io/"))
          .map(({ key, value }) => [key.replace("k8s.io/cluster-autoscaler/", ""), value]),
      );
    expect(tags("fixed")).toEqual({});
    expect(tags("web")).toEqual({
      enabled: "true",
      main: "owned",
      "node-template/label/tier": "web",
      "node-template/label/fleetwright.dev/cluster": "main",
      "node-template/label/fleetwright.dev/node-pool": "web",
      "node-template/taint/dedicated": "web:NoSchedule",
    });
  });

  it("is the member, and never a machine, of a server", () => {
    const first = String(graph.one(COMMAND, "main-server-1-volume").inputs.create);
    expect(first).toContain("provider-id=aws:///b/main-server-1\n");
    expect(first).not.toContain("main-server-1-instance-id");
  });
});

describe("every child", () => {
  it("has a name that begins with its cluster's, and the cluster above it", () => {
    for (const { name, parent, type } of graph.resources.filter(
      (resource) => resource.type !== "pulumi:pulumi:Stack",
    )) {
      expect(name.startsWith("main")).toBe(true);
      if (type !== "fleetwright:index:RkeCluster") expect(parent).toContain("fleetwright:index:RkeCluster");
    }
  });

  it("lets its children be overridden", async () => {
    const other = await build({
      transform: {
        instance: { monitoring: true },
        volume: (own) => {
          own.type = "io2";
        },
        autoScalingGroup: { healthCheckGracePeriod: 60 },
        loadBalancer: { enableDeletionProtection: true },
      },
    });
    expect(other.all(INSTANCE).every(({ inputs }) => inputs.monitoring === true)).toBe(true);
    expect(other.all("aws:ebs/volume:Volume").every(({ inputs }) => inputs.type === "io2")).toBe(true);
    expect(other.one("aws:autoscaling/group:Group", "main-web-group").inputs.healthCheckGracePeriod).toBe(60);
    expect(other.one("aws:lb/loadBalancer:LoadBalancer", "main-api").inputs.enableDeletionProtection).toBe(
      true,
    );
  });
});

it("gives the kubeconfig as a secret, with the load balancer's address", async () => {
  let cluster: RkeCluster | undefined;
  await MockGraph.of(() => (cluster = new RkeCluster("main", args)));
  const value = cluster?.kubeconfig ?? pulumi.output("");
  expect(await pulumi.isSecret(value)).toBe(true);
  expect(await new Promise((resolve) => value.apply(resolve))).toContain(
    "server: https://main-api.example:6443",
  );
  expect(await pulumi.isSecret(cluster?.token ?? pulumi.output(""))).toBe(true);
});

it("says all that is wrong before anything is asked of the engine", async () => {
  const broken = MockGraph.of(
    () => new RkeCluster("main", { ...args, version: "v1", servers: { count: 2 } }),
  );
  await expect(broken).rejects.toThrow(
    /^Invalid cluster "main" \(2 problems\):\n {2}servers\.count: found 2.*\n {2}version: found "v1"/,
  );
});
