import * as eks from "@aws-sdk/client-eks";
import { openAwsFixture, settled, type AwsFixture } from "../testing/aws-fixture";
import { takes } from "./addon-pods";

let cloud: AwsFixture;
beforeAll(async () => {
  cloud = await openAwsFixture({ timing: { cluster: 20, nodegroup: 20, addon: 40, update: 20 } });
});
afterAll(async () => cloud.stop());

async function cluster(name: string, version = "1.34"): Promise<void> {
  await cloud.eks.send(
    new eks.CreateClusterCommand({
      ...{ name, version, roleArn: "arn:aws:iam::123456789012:role/cluster" },
      resourcesVpcConfig: { subnetIds: [...cloud.subnets] },
    }),
  );
  await settled(`cluster ${name}`, "ACTIVE", async () => {
    return (await cloud.eks.send(new eks.DescribeClusterCommand({ name }))).cluster?.status;
  });
}

const create = (clusterName: string, addonName: string, more: Partial<eks.CreateAddonCommandInput> = {}) =>
  cloud.eks.send(new eks.CreateAddonCommand({ clusterName, addonName, ...more }));

const describeAddon = async (clusterName: string, addonName: string): Promise<eks.Addon> =>
  (await cloud.eks.send(new eks.DescribeAddonCommand({ clusterName, addonName }))).addon ?? {};

const becomes = (clusterName: string, addonName: string, status: string): Promise<void> =>
  settled(`${addonName} of ${clusterName}`, status, async () => {
    return (await describeAddon(clusterName, addonName)).status;
  });

const pool = (
  clusterName: string,
  nodegroupName: string,
  more: Partial<eks.CreateNodegroupCommandInput> = {},
) =>
  cloud.eks.send(
    new eks.CreateNodegroupCommand({
      ...{ clusterName, nodegroupName, subnets: [...cloud.subnets] },
      nodeRole: "arn:aws:iam::123456789012:role/nodes",
      scalingConfig: { minSize: 0, maxSize: 2, desiredSize: 1 },
      ...more,
    }),
  );

test("what runs on every node is active without one; what needs a node is degraded, and says why", async () => {
  await cluster("empty");
  for (const name of ["vpc-cni", "kube-proxy", "eks-pod-identity-agent"]) {
    await create("empty", name);
    await becomes("empty", name, "ACTIVE");
  }
  for (const name of ["coredns", "aws-ebs-csi-driver"]) {
    expect((await create("empty", name)).addon?.status).toBe("CREATING");
    await becomes("empty", name, "DEGRADED");
    expect((await describeAddon("empty", name)).health?.issues).toMatchObject([
      { code: "InsufficientNumberOfReplicas" },
    ]);
  }
  await pool("empty", "web");
  await becomes("empty", "coredns", "ACTIVE");
  expect((await describeAddon("empty", "coredns")).health?.issues).toEqual([]);
  await cloud.eks.send(
    new eks.UpdateNodegroupConfigCommand({
      ...{ clusterName: "empty", nodegroupName: "web" },
      scalingConfig: { desiredSize: 0 },
    }),
  );
  await becomes("empty", "coredns", "DEGRADED");
});

test("it stays in creation for as long as a node may still come", async () => {
  await cluster("slow");
  await cloud.aws.setTiming({ addon: 60_000 });
  await create("slow", "coredns");
  await cloud.aws.setTiming({ addon: 40 });
  await becomes("slow", "coredns", "DEGRADED");
});

test("a tainted pool takes no pod that does not tolerate its taint", async () => {
  await cluster("tainted");
  await pool("tainted", "gpu", { taints: [{ key: "gpu", value: "yes", effect: "NO_SCHEDULE" }] });
  await create("tainted", "coredns");
  await becomes("tainted", "coredns", "DEGRADED");
  const configurationValues = JSON.stringify({ tolerations: [{ key: "gpu", operator: "Exists" }] });
  await cloud.eks.send(
    new eks.UpdateAddonCommand({ clusterName: "tainted", addonName: "coredns", configurationValues }),
  );
  await becomes("tainted", "coredns", "ACTIVE");
});

test.each([
  ["a taint that only asks", [{ key: "a", effect: "PREFER_NO_SCHEDULE" }], [], true],
  ["a taint that nobody tolerates", [{ key: "a", value: "b", effect: "NO_SCHEDULE" }], [{ key: "c" }], false],
  [
    "the same key and value",
    [{ key: "a", value: "b", effect: "NO_SCHEDULE" }],
    [{ key: "a", value: "b" }],
    true,
  ],
  ["another value", [{ key: "a", value: "b", effect: "NO_SCHEDULE" }], [{ key: "a", value: "c" }], false],
  ["every key", [{ key: "a", effect: "NO_EXECUTE" }], [{ operator: "Exists" }], true],
  [
    "another effect",
    [{ key: "a", effect: "NO_EXECUTE" }],
    [{ key: "a", operator: "Exists", effect: "NoSchedule" }],
    false,
  ],
])("%s", (_what, taints, tolerations, expected) => {
  const group = { status: "ACTIVE", scalingConfig: { desiredSize: 1 }, taints };
  expect(takes(group, tolerations)).toBe(expected);
});

test("an add-on has versions for each version of Kubernetes; others are refused", async () => {
  await cluster("versions", "1.33");
  const offered = async (kubernetesVersion: string): Promise<string[]> => {
    const input = { addonName: "kube-proxy", kubernetesVersion };
    const { addons } = await cloud.eks.send(new eks.DescribeAddonVersionsCommand(input));
    return (addons?.[0]?.addonVersions ?? []).map(({ addonVersion }) => addonVersion ?? "");
  };
  const [newest = "", older = ""] = await offered("1.33");
  expect(newest).toMatch(/^v1\.33\./);
  const [next = ""] = await offered("1.34");
  expect(next).toMatch(/^v1\.34\./);
  const refusal = { name: "InvalidParameterException", message: "Addon version specified is not supported" };
  await expect(create("versions", "kube-proxy", { addonVersion: next })).rejects.toMatchObject(refusal);
  // Without a version the cluster gets its default, which is not the newest.
  await create("versions", "kube-proxy");
  expect((await describeAddon("versions", "kube-proxy")).addonVersion).toBe(older);
  const update = (addonVersion: string) =>
    cloud.eks.send(
      new eks.UpdateAddonCommand({ clusterName: "versions", addonName: "kube-proxy", addonVersion }),
    );
  await update(newest);
  await expect(update(next)).rejects.toMatchObject(refusal);
  await cloud.eks.send(new eks.UpdateClusterVersionCommand({ name: "versions", version: "1.34" }));
  // An upgrade of the cluster leaves it where it was.
  expect((await describeAddon("versions", "kube-proxy")).addonVersion).toBe(newest);
  await update(next);
});
