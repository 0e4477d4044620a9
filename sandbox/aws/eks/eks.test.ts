import * as eks from "@aws-sdk/client-eks";
import { DescribeSecurityGroupsCommand } from "@aws-sdk/client-ec2";
import { openAwsFixture, settled, type AwsFixture } from "../testing/aws-fixture";

const ROLE = "arn:aws:iam::123456789012:role/nodes";
const PERSON = "arn:aws:iam::123456789012:role/admins";
const ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy";

let cloud: AwsFixture;
beforeAll(async () => {
  cloud = await openAwsFixture({ timing: { cluster: 120, nodegroup: 60, addon: 60, update: 80 } });
});
afterAll(async () => cloud.stop());

async function cluster(
  name: string,
  input: Partial<eks.CreateClusterCommandInput> = {},
): Promise<eks.Cluster> {
  const made = await cloud.eks.send(
    new eks.CreateClusterCommand({
      name,
      version: "1.33",
      roleArn: "arn:aws:iam::123456789012:role/cluster",
      resourcesVpcConfig: { subnetIds: [...cloud.subnets] },
      accessConfig: { authenticationMode: "API" },
      ...input,
    }),
  );
  expect(made.cluster?.status).toBe("CREATING");
  await active(name);
  return describe_(name);
}

const describe_ = async (name: string): Promise<eks.Cluster> =>
  (await cloud.eks.send(new eks.DescribeClusterCommand({ name }))).cluster ?? {};

const active = (name: string): Promise<void> =>
  settled(`cluster ${name}`, "ACTIVE", async () => (await describe_(name)).status);

test("a cluster answers with the settings that it was made with", async () => {
  const found = await cluster("echo", {
    accessConfig: {
      authenticationMode: "API_AND_CONFIG_MAP",
      bootstrapClusterCreatorAdminPermissions: false,
    },
    encryptionConfig: [{ provider: { keyArn: "arn:aws:kms:eu-central-1:123456789012:key/k" } }],
    logging: { clusterLogging: [{ types: ["audit"], enabled: true }] },
    upgradePolicy: { supportType: "STANDARD" },
    tags: { team: "a" },
  });
  expect(found).toMatchObject({
    version: "1.33",
    accessConfig: {
      authenticationMode: "API_AND_CONFIG_MAP",
      bootstrapClusterCreatorAdminPermissions: false,
    },
    encryptionConfig: [{ provider: { keyArn: "arn:aws:kms:eu-central-1:123456789012:key/k" } }],
    logging: { clusterLogging: [{ types: ["audit"], enabled: true }] },
    upgradePolicy: { supportType: "STANDARD" },
    deletionProtection: false,
    tags: { team: "a" },
    resourcesVpcConfig: { vpcId: cloud.vpcId, endpointPublicAccess: true, publicAccessCidrs: ["0.0.0.0/0"] },
    kubernetesNetworkConfig: { serviceIpv4Cidr: "10.100.0.0/16" },
  });
  const entries = await cloud.eks.send(new eks.ListAccessEntriesCommand({ clusterName: "echo" }));
  expect(entries.accessEntries).toEqual([]);
  await cloud.eks.send(new eks.DeleteClusterCommand({ name: "echo" }));
  const groups = await cloud.ec2.send(new DescribeSecurityGroupsCommand({}));
  expect(groups.SecurityGroups?.filter(({ GroupName }) => GroupName?.includes("echo"))).toEqual([]);
});

test("deletion protection protects until it is taken off", async () => {
  await cluster("guarded", { deletionProtection: true });
  const remove = (): Promise<unknown> => cloud.eks.send(new eks.DeleteClusterCommand({ name: "guarded" }));
  await expect(remove()).rejects.toMatchObject({ name: "InvalidRequestException" });
  await cloud.eks.send(new eks.UpdateClusterConfigCommand({ name: "guarded", deletionProtection: false }));
  await remove();
  await expect(describe_("guarded")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
});

test("a version goes up by one, and the update can be followed", async () => {
  await cluster("grows");
  const update = (version: string): Promise<eks.UpdateClusterVersionCommandOutput> =>
    cloud.eks.send(new eks.UpdateClusterVersionCommand({ name: "grows", version }));
  await expect(update("1.35")).rejects.toMatchObject({
    name: "InvalidParameterException",
    message: "Unsupported Kubernetes minor version update from 1.33 to 1.35",
  });
  await cloud.aws.setTiming({ update: 60_000 });
  const updateId = (await update("1.34")).update?.id ?? "";
  expect((await describe_("grows")).status).toBe("UPDATING");
  await cloud.aws.setTiming({ update: 80 });
  await settled("the update", "Successful", async () => {
    const found = await cloud.eks.send(new eks.DescribeUpdateCommand({ name: "grows", updateId }));
    return found.update?.status;
  });
  expect(await describe_("grows")).toMatchObject({ version: "1.34", status: "ACTIVE" });
  const unknown = new eks.DescribeUpdateCommand({ name: "grows", updateId: "none" });
  await expect(cloud.eks.send(unknown)).rejects.toMatchObject({ name: "ResourceNotFoundException" });
});

test("the authentication mode goes towards the API and never back", async () => {
  await cluster("mode", { accessConfig: { authenticationMode: "CONFIG_MAP" } });
  const entry = new eks.CreateAccessEntryCommand({ clusterName: "mode", principalArn: PERSON });
  await expect(cloud.eks.send(entry)).rejects.toMatchObject({ name: "InvalidRequestException" });
  const change = (authenticationMode: eks.AuthenticationMode): Promise<unknown> =>
    cloud.eks.send(
      new eks.UpdateClusterConfigCommand({ name: "mode", accessConfig: { authenticationMode } }),
    );
  await change("API");
  await cloud.eks.send(new eks.CreateAccessEntryCommand({ clusterName: "mode", principalArn: PERSON }));
  await expect(change("CONFIG_MAP")).rejects.toMatchObject({ name: "InvalidParameterException" });
});

test("add-ons are made, read, updated, tagged and deleted", async () => {
  await cluster("addons");
  const at = { clusterName: "addons", addonName: "vpc-cni" };
  const input = { ...at, configurationValues: '{"a":1}', tags: { a: "b" } };
  const made = await cloud.eks.send(new eks.CreateAddonCommand(input));
  expect(made.addon?.status).toBe("CREATING");
  await expect(cloud.eks.send(new eks.CreateAddonCommand(input))).rejects.toMatchObject({
    name: "ResourceInUseException",
  });
  const read = async (): Promise<eks.Addon> =>
    (await cloud.eks.send(new eks.DescribeAddonCommand(at))).addon ?? {};
  await settled("the add-on", "ACTIVE", async () => (await read()).status);
  await cloud.eks.send(new eks.UpdateAddonCommand({ ...at, addonVersion: "v1.20.4-eksbuild.1" }));
  const resourceArn = (await read()).addonArn ?? "";
  await cloud.eks.send(new eks.TagResourceCommand({ resourceArn, tags: { c: "d" } }));
  await cloud.eks.send(new eks.UntagResourceCommand({ resourceArn, tagKeys: ["a"] }));
  expect(await read()).toMatchObject({
    addonVersion: "v1.20.4-eksbuild.1",
    configurationValues: '{"a":1}',
    tags: { c: "d" },
  });
  await cloud.eks.send(new eks.DeleteAddonCommand(at));
  await expect(read()).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  const known = await cloud.eks.send(new eks.DescribeAddonVersionsCommand({ addonName: "coredns" }));
  expect(known.addons?.[0]?.addonVersions?.[0]?.addonVersion).toMatch(/^v1/);
});

test("access entries have policies, and the creator and the nodes have entries of their own", async () => {
  await cluster("access");
  const at = { clusterName: "access", principalArn: PERSON };
  await cloud.eks.send(new eks.CreateAccessEntryCommand({ ...at, kubernetesGroups: ["viewers"] }));
  await cloud.eks.send(
    new eks.AssociateAccessPolicyCommand({ ...at, policyArn: ADMIN, accessScope: { type: "cluster" } }),
  );
  const policies = async (): Promise<unknown[]> =>
    (await cloud.eks.send(new eks.ListAssociatedAccessPoliciesCommand(at))).associatedAccessPolicies ?? [];
  expect(await policies()).toMatchObject([{ policyArn: ADMIN, accessScope: { type: "cluster" } }]);
  await cloud.eks.send(new eks.DisassociateAccessPolicyCommand({ ...at, policyArn: ADMIN }));
  expect(await policies()).toEqual([]);
  await cloud.eks.send(new eks.UpdateAccessEntryCommand({ ...at, kubernetesGroups: ["editors"] }));
  const found = await cloud.eks.send(new eks.DescribeAccessEntryCommand(at));
  expect(found.accessEntry).toMatchObject({
    kubernetesGroups: ["editors"],
    type: "STANDARD",
    username: PERSON,
  });

  await group("access", "pool");
  const all = await cloud.eks.send(new eks.ListAccessEntriesCommand({ clusterName: "access" }));
  expect(all.accessEntries).toHaveLength(3);
  const nodes = await cloud.eks.send(new eks.DescribeAccessEntryCommand({ ...at, principalArn: ROLE }));
  expect(nodes.accessEntry?.type).toBe("EC2_LINUX");
  await cloud.eks.send(new eks.DeleteAccessEntryCommand(at));
  await expect(cloud.eks.send(new eks.DescribeAccessEntryCommand(at))).rejects.toMatchObject({
    name: "ResourceNotFoundException",
  });
});

test("a service account has one pod identity", async () => {
  await cluster("pods");
  const account = { clusterName: "pods", namespace: "kube-system", serviceAccount: "ebs" };
  const make = (): Promise<eks.CreatePodIdentityAssociationCommandOutput> =>
    cloud.eks.send(new eks.CreatePodIdentityAssociationCommand({ ...account, roleArn: ROLE }));
  const associationId = (await make()).association?.associationId ?? "";
  await expect(make()).rejects.toMatchObject({ name: "ResourceInUseException" });
  const at = { clusterName: "pods", associationId };
  await cloud.eks.send(new eks.UpdatePodIdentityAssociationCommand({ ...at, roleArn: PERSON }));
  const found = await cloud.eks.send(new eks.DescribePodIdentityAssociationCommand(at));
  expect(found.association).toMatchObject({ ...account, roleArn: PERSON });
  const listed = await cloud.eks.send(
    new eks.ListPodIdentityAssociationsCommand({ clusterName: "pods", namespace: "default" }),
  );
  expect(listed.associations).toEqual([]);
  await cloud.eks.send(new eks.DeletePodIdentityAssociationCommand(at));
  await expect(cloud.eks.send(new eks.DescribePodIdentityAssociationCommand(at))).rejects.toMatchObject({
    name: "ResourceNotFoundException",
  });
});

test("a node group echoes its settings, changes them, and follows the cluster's version", async () => {
  await cluster("nodes");
  const at = { clusterName: "nodes", nodegroupName: "pool" };
  expect(await group("nodes", "pool")).toMatchObject({
    updateConfig: { maxUnavailable: 2 },
    labels: { a: "b" },
  });
  await cloud.eks.send(
    new eks.UpdateNodegroupConfigCommand({
      ...at,
      scalingConfig: { desiredSize: 2 },
      labels: { addOrUpdateLabels: { c: "d" }, removeLabels: ["a"] },
      taints: { addOrUpdateTaints: [{ key: "k", value: "v", effect: "NO_SCHEDULE" }] },
    }),
  );
  const read = async (): Promise<eks.Nodegroup> =>
    (await cloud.eks.send(new eks.DescribeNodegroupCommand(at))).nodegroup ?? {};
  expect(await read()).toMatchObject({
    scalingConfig: { minSize: 1, maxSize: 3, desiredSize: 2 },
    labels: { c: "d" },
    taints: [{ key: "k", value: "v", effect: "NO_SCHEDULE" }],
  });
  expect((await read()).remoteAccess).toBeUndefined();
  const upgrade = (): Promise<unknown> =>
    cloud.eks.send(new eks.UpdateNodegroupVersionCommand({ ...at, version: "1.34" }));
  await expect(upgrade()).rejects.toMatchObject({ name: "InvalidParameterException" });
  await cloud.eks.send(new eks.UpdateClusterVersionCommand({ name: "nodes", version: "1.34" }));
  await upgrade();
  expect(await read()).toMatchObject({ version: "1.34", releaseVersion: "1.34.0-20260101" });
});

test("what is asked of an unknown cluster is not found", async () => {
  const ask = new eks.CreateAddonCommand({ clusterName: "nowhere", addonName: "vpc-cni" });
  await expect(cloud.eks.send(ask)).rejects.toMatchObject({
    name: "ResourceNotFoundException",
    message: "No cluster found for name: nowhere.",
  });
});

async function group(clusterName: string, nodegroupName: string): Promise<eks.Nodegroup> {
  const made = await cloud.eks.send(
    new eks.CreateNodegroupCommand({
      clusterName,
      nodegroupName,
      version: "1.33",
      subnets: [...cloud.subnets],
      nodeRole: ROLE,
      scalingConfig: { minSize: 1, maxSize: 3, desiredSize: 1 },
      updateConfig: { maxUnavailable: 2 },
      labels: { a: "b" },
    }),
  );
  return made.nodegroup ?? {};
}
