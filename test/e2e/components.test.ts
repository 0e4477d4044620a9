import { everyCluster, hosted, notNamed } from "../../scripts/docs/permissions";
import { startAws, type Aws } from "../../sandbox/aws";
import { ClusterProgram } from "../harness/cluster-program";

jest.setTimeout(600_000);

let aws: Aws;
let program: ClusterProgram;

beforeAll(async () => {
  aws = await startAws();
  program = await ClusterProgram.open({ ...aws.environment, AWS_ENDPOINT_URL: aws.endpoint });
});

afterAll(async () => {
  await program.close();
  await aws.stop();
});

/** What was asked of AWS that changes something. */
const changesAsked = (): string[] =>
  aws.ledger
    .entries(0)
    .map(({ action }) => action)
    .filter((action) => !/^(Describe|Get|List)/.test(action));

/** As a production environment would be: EKS with access for two roles. */
const production = {
  kind: "hosted",
  version: "1.35",
  network: { cidr: "10.30.0.0/16", nat: "per-zone" },
  hosted: {
    access: [
      { name: "operators", principalArn: "arn:aws:iam::123456789012:role/operators", level: "ClusterAdmin" },
      { name: "developers", principalArn: "arn:aws:iam::123456789012:role/developers", namespaces: ["web"] },
    ],
  },
  pools: [
    { name: "web", count: 3, max: 6 },
    { name: "batch", count: 1 },
  ],
};

it("reports all problems in one message, before anything is made", async () => {
  await program.describe({
    version: "v1.19.0+rke2r1",
    network: { cidr: "10.43.0.0/16", zones: 1 },
    selfManaged: { servers: { count: 2 }, login: { privateKey: "" } },
    pools: [{ name: "web", min: 4 }],
  });
  const { code, stdout } = await program.attempt(["up", "--yes", "--skip-preview"]);
  expect(code).not.toBe(0);
  expect(stdout).toMatch(/Invalid cluster "main" \(5 problems\):/);
  for (const words of [
    'version: found "v1.19.0+rke2r1"',
    "selfManaged.servers.count: found 2: use 1, 3 or 5",
    "selfManaged.login.privateKey: not set",
    'selfManaged.podNetwork.serviceCidr: found "10.43.0.0/16": it overlaps network.cidr (10.43.0.0/16)',
    "pools[0]: found min 4, count 2, max 2",
  ]) {
    expect(stdout).toContain(words);
  }
  expect(changesAsked()).toEqual([]);
});

it("refuses three servers in one zone", async () => {
  await program.describe({ version: "v1.35.7+rke2r1", network: { zones: 1 }, selfManaged: {} });
  const { code, stdout } = await program.attempt(["preview"]);
  expect(code).not.toBe(0);
  expect(stdout).toContain(
    "selfManaged.servers.count: found 3: over 1 zone the loss of one zone would lose etcd's majority",
  );
});

describe("EKS with its network", () => {
  // Protected is for production; this one is to go again. moto keeps a NAT gateway's interface, and with it the subnet.
  const args = {
    ...production,
    network: { cidr: "10.30.0.0/16", nat: "none" },
    hosted: { ...production.hosted, deletionProtection: false },
  };

  it("comes up", async () => {
    await program.describe(args, "prod");
    // The stack itself is there since the attempts above, and nothing else.
    const { same, ...made } = await program.changes("up");
    expect([same, Object.keys(made)]).toEqual([1, ["create"]]);
    const outputs = await program.outputs();
    expect(outputs).toMatchObject({
      version: "1.35",
      stateVolumes: [],
      nodePools: [
        { name: "web", count: 3 },
        { name: "batch", count: 1 },
      ],
    });
    expect(String(outputs.kubeconfig)).toContain(`server: ${String(outputs.endpoint)}`);
  });

  it("shows no change in a second update, nor in a refresh", async () => {
    expect(Object.keys(await program.changes("up"))).toEqual(["same"]);
    expect(Object.keys(await program.changes("refresh"))).toEqual(["same"]);
  });

  it("upgrades its control plane first, and its nodes in a step of their own", async () => {
    await program.describe(
      { ...args, version: "1.36", hosted: { ...args.hosted, nodeVersion: "1.35" } },
      "prod",
    );
    const changed = (await program.preview()).filter(
      ({ op, type }) => op !== "same" && !type.startsWith("fleetwright:"),
    );
    // Of the add-ons one has another version for it, and follows.
    expect(changed.map(({ op, type }) => `${op} ${type}`)).toEqual([
      "update aws:eks/cluster:Cluster",
      "update aws:eks/addon:Addon",
    ]);
    // With it, the two components that it is a part of.
    expect(await program.changes("up")).toMatchObject({ update: 4 });
    await program.describe({ ...args, version: "1.36" }, "prod");
    expect(await program.changes("up")).toMatchObject({ update: 4 });
  });

  it("leaves nothing when it is destroyed", async () => {
    await program.run(["destroy", "--yes", "--skip-preview"]);
    expect(await aws.leftovers()).toEqual([]);
  });

  it("asked of AWS nothing in its life that docs/reference/permissions.md does not name", () => {
    expect(aws.ledger.entries().map(({ action }) => action)).toContain("CreateNodegroup");
    expect(notNamed(aws.ledger.entries(), [everyCluster, hosted])).toEqual([]);
  });
});
