import { spawnSync } from "node:child_process";
import path from "node:path";
import { isObject } from "../../lib/json";
import { startAws, type Aws } from "../../sandbox/aws";
import { procedure } from "../harness/procedure";
import { countTypes, plannedSteps } from "../harness/pulumi-program";
import { StackProgram } from "../harness/stack-program";

// The stack files of the repository, as somebody previews them who has no account: only the address of AWS is another.

let aws: Aws;
beforeAll(async () => {
  aws = await startAws();
});
afterAll(() => aws.stop());

/** With our programs in it, as somebody names their images. */
const images = Object.fromEntries(
  ["coordinator", "agent"].map((name) => [
    `FLEETWRIGHT_${name.toUpperCase()}_IMAGE`,
    `ghcr.io/fleetwright/${name}@sha256:${"a".repeat(64)}`,
  ]),
);

async function previewed(
  stack: string,
  change?: (config: Record<string, unknown>) => void,
): Promise<unknown> {
  const program = await StackProgram.open(stack, { ...aws.environment, ...images });
  try {
    if (change !== undefined) await program.configure(change);
    return await program.previewed();
  } finally {
    await program.close();
  }
}

function counts(preview: unknown): Record<string, number> {
  const steps = plannedSteps(preview);
  expect(new Set(steps.map(({ op }) => op))).toEqual(new Set(["create"]));
  return countTypes(steps);
}

/** What is wrong with the pages of docs/ that show a stack; FLEETWRIGHT_WRITE_DOCS=1 writes them anew. */
function complaints(preview: unknown): string {
  const root = path.join(__dirname, "../..");
  const check = process.env.FLEETWRIGHT_WRITE_DOCS === "1" ? [] : ["--check"];
  const tsx = path.join(root, "node_modules/.bin/tsx");
  const { stderr } = spawnSync(tsx, ["scripts/docs/stacks.ts", ...check], {
    cwd: root,
    input: JSON.stringify(preview),
    encoding: "utf8",
  });
  return stderr;
}

/** What was asked of AWS that changes something. */
const changesAsked = (): string[] =>
  aws.ledger
    .entries(0)
    .map(({ action }) => action)
    .filter((action) => !/^(Describe|Get|List)/.test(action));

describe("staging", () => {
  let preview: unknown;
  beforeAll(async () => (preview = await previewed("staging")));

  it("previews as RKE2 over three zones", () => {
    expect(counts(preview)).toMatchObject({
      "fleetwright:index:Server": 3,
      "fleetwright:index:StateVolume": 3,
      "fleetwright:index:NodePool": 2,
      "aws:ec2/instance:Instance": 3,
      "aws:ebs/volume:Volume": 3,
      "aws:ec2/networkInterface:NetworkInterface": 3,
      "aws:ec2/volumeAttachment:VolumeAttachment": 3,
      "aws:dlm/lifecyclePolicy:LifecyclePolicy": 1,
      "aws:lb/loadBalancer:LoadBalancer": 1,
      "aws:lb/targetGroupAttachment:TargetGroupAttachment": 6,
      "aws:autoscaling/group:Group": 2,
      "aws:ssm/parameter:Parameter": 2,
      "aws:ec2/subnet:Subnet": 9,
      "aws:ec2/natGateway:NatGateway": 3,
      // S3, three of Systems Manager, and Auto Scaling.
      "aws:ec2/vpcEndpoint:VpcEndpoint": 3,
      "aws:ec2/flowLog:FlowLog": 1,
      "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": 1,
      // Five for each server, two to read the cluster, one for each pool.
      "command:remote:Command": 19,
      // A host key for each server, the token, and the program's own login key.
      "tls:index/privateKey:PrivateKey": 5,
      // Ours, and that of plugins.
      "kubernetes:core/v1:Namespace": 3,
    });
    expect(changesAsked()).toEqual([]);
  });

  it("is shown in docs/ as it is", () => {
    expect(complaints(preview)).toBe("");
  });
});

describe("prod", () => {
  let preview: unknown;
  beforeAll(async () => (preview = await previewed("prod")));

  it("previews as EKS", () => {
    expect(counts(preview)).toMatchObject({
      "aws:eks/cluster:Cluster": 1,
      "aws:eks/nodeGroup:NodeGroup": 2,
      "aws:eks/addon:Addon": 5,
      "aws:eks/podIdentityAssociation:PodIdentityAssociation": 3,
      "aws:ec2/launchTemplate:LaunchTemplate": 2,
      "aws:kms/key:Key": 1,
      "aws:ec2/subnet:Subnet": 9,
      "aws:ec2/natGateway:NatGateway": 3,
      "aws:ec2/vpcEndpoint:VpcEndpoint": 1,
      "aws:ec2/flowLog:FlowLog": 1,
      "kubernetes:core/v1:Namespace": 3,
    });
    expect(changesAsked()).toEqual([]);
  });

  it("is shown in docs/ as it is", () => {
    expect(complaints(preview)).toBe("");
  });
});

// Regions of other partitions: nothing of AWS that is known by account, ARN or host name is the same there.
describe.each([
  ["us-gov-west-1", ["a", "b", "c"]],
  ["cn-north-1", ["a", "b", "d"]],
])("in %s", (region, letters) => {
  /** The image that the sandbox has in every region, as one of their own. */
  const imageId = "ami-0f1ee75a4db0deb12";
  const zones = letters.map((letter) => `${region}${letter}`);

  /** What a preview wants to make in AWS. */
  function ofAws(preview: unknown): Record<string, unknown>[] {
    const steps = isObject(preview) && Array.isArray(preview.steps) ? (preview.steps as unknown[]) : [];
    const states = steps.filter(isObject).map(({ newState }) => newState);
    return states.filter(isObject).filter(({ type }) => String(type).startsWith("aws:"));
  }

  /** Which zones its subnets lie in. */
  function zonesOf(preview: unknown): string[] {
    const named = ofAws(preview)
      .filter(({ type }) => type === "aws:ec2/subnet:Subnet")
      .map(({ inputs }) => (isObject(inputs) ? String(inputs.availabilityZone) : ""));
    return [...new Set(named)].sort();
  }

  /** The file of `staging` with images of their own. */
  function withImages(config: Record<string, unknown>): void {
    config["aws:region"] = region;
    const cluster = config["fleetwright:cluster"];
    if (!isObject(cluster) || !isObject(cluster.selfManaged) || !Array.isArray(cluster.pools))
      throw new Error("Pulumi.staging.yaml has another shape");
    cluster.selfManaged.servers = { imageId };
    cluster.pools = (cluster.pools as object[]).map((pool) => ({ ...pool, imageId }));
  }

  it("staging previews with images that it names", async () => {
    const preview = await previewed("staging", withImages);
    expect(counts(preview)).toMatchObject({
      "aws:ec2/instance:Instance": 3,
      "aws:lb/loadBalancer:LoadBalancer": 1,
      "aws:autoscaling/group:Group": 2,
    });
    expect(zonesOf(preview)).toEqual(zones);
    expect(JSON.stringify(ofAws(preview))).not.toMatch(/arn:aws:/);
  });

  it("staging without one says once which settings to name them in", async () => {
    const program = await StackProgram.open("staging", aws.environment);
    try {
      await program.configure((config) => {
        config["aws:region"] = region;
      });
      const { code, stdout, stderr } = await program.attempt(["preview"]);
      const said = (stdout + stderr).match(/Debian publishes no images in .*/g) ?? [];
      // The engine shows it where it happens, and once more at the end.
      expect(said.length).toBeLessThanOrEqual(2);
      expect([code === 0, [...new Set(said)]]).toEqual([
        false,
        [
          expect.stringMatching(
            /^\S+ publishes .* partition aws-(us-gov|cn) .*servers\.imageId, in imageId of each pool/,
          ),
        ],
      ]);
      expect(stdout + stderr).not.toContain("machine-image.ts");
    } finally {
      await program.close();
    }
  });

  it("prod previews as it is", async () => {
    const preview = await previewed("prod", (config) => {
      config["aws:region"] = region;
    });
    expect(counts(preview)).toMatchObject({ "aws:eks/cluster:Cluster": 1, "aws:eks/nodeGroup:NodeGroup": 2 });
    expect(zonesOf(preview)).toEqual(zones);
    expect(JSON.stringify(ofAws(preview))).not.toMatch(/arn:aws:/);
  });
});

describe("a stack of the smallest file that docs/how-to/aws.md tells of", () => {
  const [rke2 = [], eks = []] = procedure("The smallest stack", "aws.md").map((code) =>
    code.split("\n").filter((line) => line.startsWith("pulumi config set ")),
  );

  it.each([
    [
      "RKE2",
      rke2,
      // Three servers and the bastion.
      {
        "aws:ec2/instance:Instance": 4,
        "aws:lb/loadBalancer:LoadBalancer": 1,
        "fleetwright:index:Bastion": 1,
      },
    ],
    [
      "EKS",
      [...rke2.filter((line) => !/ '?cluster[.]/.test(line)), ...eks],
      { "aws:eks/cluster:Cluster": 1, "aws:eks/addon:Addon": 5, "aws:eks/nodeGroup:NodeGroup": 1 },
    ],
  ])("previews as %s", async (_, commands, expected) => {
    expect(commands.length).toBeGreaterThanOrEqual(4);
    const program = await StackProgram.open("acme", aws.environment);
    try {
      for (const command of commands) await program.run(command.replaceAll("'", "").split(" ").slice(1));
      expect(countTypes(await program.preview())).toMatchObject(expected);
    } finally {
      await program.close();
    }
  });
});
